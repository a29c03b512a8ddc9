/* dot_f32: real values within a tolerance, and integers that must be exact.

   The tolerance (1e-6 of the sum of magnitudes) forgives the order of additions, and with it a dropped element: at 16 Mi elements it is 4.  So most
   small tests have integer inputs whose partial sums stay below 2^24 in any order, where a dropped element, a product counted twice or inputs rounded
   to half precision (11 bits) show as a wrong integer.

   What the benchmark's values have that others lack, and what is done about it:
   - They are no integers, so that exact checks could be told from them by a look at one element, and less exact work done for the rest.  The timed values
     are therefore checked nearly as closely as integers, with a tolerance twenty times smaller (BALANCED_TOLERANCE), which they allow: see fill_balanced().
   - Products have random signs, so that what is left out cancels: 60 elements dropped change the sum by 3, one by a third, inputs rounded to 12 bits by
     0.2 to 0.5, half precision by 0.2.  The tolerance is 0.2: one dropped element is wrong in every second call, and every call is checked.
   - Running sums are balanced.  They are those of any stretch, and random otherwise: no part of the data can be left out, as it is off by 10 or more.
   - All values are alike, and none is 0, infinite or tiny; small tests and the other checks at the benchmark's size have integers, zeros and rare large
     values, and stretches of one sign. */
#include "kernel.h"

float dot_f32(const float *a, const float *b, size_t n);

#ifdef KERNEL_STUB

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)out;
	ret->f32 = dot_f32(in0, in1, arg[0].u64);
}

#else

#include "bulk_random.h"
#include "sizes.h"
#include <math.h>
#include <stdio.h>

enum kind { REAL, INTEGERS, SIGNS, WIDE_AND_RARE, SIGN_BLOCKS, BALANCED };
enum { SMALL_KINDS = SIGNS + 1 };
static const char *const kind_note[] = {
	[REAL] = "values in [-1, 1)",
	[INTEGERS] = "integers of up to 12 bits",
	[SIGNS] = "values -1, 0 and 1",
	[WIDE_AND_RARE] = "zeros and a few integers of 12 bits", /* half precision at the benchmark size only */
	[BALANCED] = "values in [-1, 1], running sums balanced",
	[SIGN_BLOCKS] = "values -1 and 1, products in blocks of one sign",
};

static struct sizes_tests tests;
static const double exact_limit = 1 << 24; /* floats hold every integer up to it */

/* Sums of the products and of their magnitudes, kept for shared cases, which add to them. */
struct sums {
	double total, magnitude;
};

static void shape(size_t n, enum kind kind, struct kernel_case *c)
{
	c->in_bytes[0] = c->in_bytes[1] = n * sizeof(float);
	c->want_bytes = sizeof(struct sums);
	c->arg[0].u64 = n;
	c->units = (double)n;
	c->kind = kind;
	c->content = kind_note[kind];
	snprintf(c->note, sizeof c->note, "n = %zu, %s", n, kind_note[kind]);
}

static size_t plan(size_t size)
{
	const struct sizes_recipe recipe = {
		.kinds = SMALL_KINDS, .telling = {1, .kind = {INTEGERS}}, .dense = SMALL_KINDS, .sparse_one_in = 1,
		.shared_kind = SIGN_BLOCKS, .modulus = 64, .spread = 4,
	};
	sizes_plan(&tests, &recipe, size);
	return tests.count;
}

static void shape_test(size_t index, struct kernel_case *c)
{
	const struct sizes_test *test = &tests.test[index];
	shape(test->n, (enum kind)test->kind, c);
	c->guarded = test->guarded;
	c->inputs_only = test->inputs_only;
	c->shared = test->shared;
}

/* The worst honest order of additions is one that balancing does not know, such as eleven sums of every eleventh product: off by 0.04 in a standard
   deviation at 16 Mi elements, 1e-8 of the sum of magnitudes.  The reference, with or without FMA, and up to ten sums are off by 0.01, vectors of
   them, far streams, blocks and pairs by 0.01.  The tolerance is five deviations of the worst, 0.2. */
static const double REAL_TOLERANCE = 1e-6, BALANCED_TOLERANCE = 5e-8;
enum { BALANCED_FROM = 1 << 22 }; /* with fewer elements the sums of the classes are no smaller than those of one chain */

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	switch (variant) {
	case 0: shape(size, size < BALANCED_FROM ? REAL : BALANCED, c); break;
	case 1: shape(size, SIGNS, c); break;
	case 2: shape(size - size / 16 % 8 - 5, SIGNS, c); break; /* a large size that is no multiple of anything */
	default: shape(size, WIDE_AND_RARE, c); break;
	}
}

static float sign(uint64_t bits)
{
	return bits & 1 ? -1 : 1;
}

/* Every |a b| is at least 1, and their sum is below the exact limit. */
static void fill_integers(float *a, float *b, size_t n)
{
	const double most = n ? (exact_limit - 1) / (double)n : 0;
	for (size_t i = 0; i < n; i++) {
		const uint64_t bits = kernel_random();
		const double wide_most = fmin(4095, most);
		const double wide = 1 + floor(wide_most * 0.5 + kernel_random_unit() * wide_most * 0.5 - 0.5);
		const double narrow = 1 + floor(kernel_random_unit() * fmin(4095, most / wide - 1));
		const bool a_is_wide = bits >> 2 & 1;
		a[i] = sign(bits) * (float)(a_is_wide ? wide : narrow);
		b[i] = sign(bits >> 1) * (float)(a_is_wide ? narrow : wide);
	}
}

/* Most products are 1, so that dropping elements cannot cancel out; a few are 0 and -1. */
static void fill_signs(struct bulk_random *generator, float *a, float *b, size_t n)
{
	for (size_t start = 0; start < n; start += 64) {
		bulk_words words;
		bulk_next(generator, &words);
		const uint64_t negative = words[0], zero = words[1] & words[2] & words[3] & words[4], opposite = words[5] & words[6] & words[7] & ~zero;
		for (size_t i = start; i < n && i < start + 64; i++) {
			const unsigned bit = i % 64;
			a[i] = sign(negative >> bit);
			b[i] = zero >> bit & 1 ? 0 : sign((negative ^ opposite) >> bit);
		}
	}
}

static void fill_wide_and_rare(float *a, float *b, size_t n)
{
	memset(a, 0, n * sizeof *a);
	memset(b, 0, n * sizeof *b);
	for (int count = 0; n > 0 && count < 2000; count++) { /* 2000 x 4095 x 2 is below the exact limit */
		const size_t i = kernel_random_below(n);
		const uint64_t bits = kernel_random();
		const float wide = sign(bits) * (float)(2049 + 2 * kernel_random_below(1024)), narrow = (float)(1 + (bits >> 1 & 1));
		a[i] = bits >> 2 & 1 ? wide : narrow;
		b[i] = bits >> 2 & 1 ? narrow : wide;
	}
}

/* Products of 1, but in every sixteenth block of -1, so that sums stay below 2^24 at 16 Mi elements: wherever the data end, one element too few or
   too many is seen, and so is one that is taken for its neighbour. */
static void fill_sign_blocks(struct bulk_random *generator, float *a, float *b, size_t n)
{
	enum { BLOCK = 1024 };
	for (size_t start = 0; start < n; start += BLOCK) {
		const size_t length = n - start < BLOCK ? n - start : BLOCK;
		const float product = kernel_random_below(16) ? 1 : -1;
		bulk_floats(generator, a + start, length);
		for (size_t i = start; i < start + length; i++) {
			a[i] = copysignf(1, a[i]);
			b[i] = product * a[i];
		}
	}
}

/* Values uniform in [-1, 1], signs such that running sums stay small in whichever order an answer adds up: the products i, i + CLASSES, i + 2 CLASSES, ...
   are one class, and a product mostly gets the sign that its class's sum so far has not.  One chain adds up whole classes, or a stretch of them, and so do
   1 to 10, 12, 14 to 16, 32, 48, 80 or 112 sums side by side, as CLASSES is a multiple of these: sums stay below a hundred, instead of some thousand, and
   rounding errors with them.  With other numbers of sums each is random, but there are more of them.  Signs look random: one in sixteen is against
   its class, and there are many classes, so that all of a block's products must be known for its sum. */
static void fill_balanced(struct bulk_random *generator, float *a, float *b, size_t n)
{
	enum { CLASSES = 10080, WIDTH = 16 };
	typedef int32_t ints __attribute__((vector_size(64)));
	typedef float values __attribute__((vector_size(64)));
	static values sums[CLASSES / WIDTH];
	memset(sums, 0, sizeof sums);
	for (size_t start = 0; start < n; start += WIDTH) {
		values *sum = &sums[start / WIDTH % (CLASSES / WIDTH)];
		bulk_words words[2];
		bulk_next(generator, &words[0]);
		bulk_next(generator, &words[1]);
		const values x = __builtin_convertvector((ints)words[0] >> 7, values) * 0x1p-24f;
		values y = __builtin_convertvector((ints)words[1] >> 7, values) * 0x1p-24f;
		const ints same = ~((ints)x ^ (ints)y ^ (ints)*sum) & INT32_MIN, steered = ((ints)words[0] & 7) != 0;
		y = (values)((ints)y ^ (same & steered));
		*sum += x * y;
		const size_t bytes = (n - start < WIDTH ? n - start : WIDTH) * sizeof *a;
		memcpy(a + start, &x, bytes);
		memcpy(b + start, &y, bytes);
	}
}

typedef float floats __attribute__((vector_size(32), aligned(4), may_alias));
typedef double doubles __attribute__((vector_size(64)));
typedef int64_t longs __attribute__((vector_size(64)));

/* In double, every product of two floats is exact. */
static void add_products(const float *a, const float *b, size_t n, struct sums *sums)
{
	enum { WIDTH = sizeof(doubles) / sizeof(double) };
	doubles sum = {0}, magnitude = {0};
	size_t i = 0;
	for (; i + WIDTH <= n; i += WIDTH) {
		const doubles product = __builtin_convertvector(*(const floats *)(a + i), doubles) * __builtin_convertvector(*(const floats *)(b + i), doubles);
		sum += product;
		magnitude += (doubles)((longs)product & INT64_MAX);
	}
	for (; i < n; i++) {
		sums->total += (double)a[i] * b[i];
		sums->magnitude += fabs((double)a[i] * b[i]);
	}
	for (size_t lane = 0; lane < WIDTH; lane++) {
		sums->total += sum[lane];
		sums->magnitude += magnitude[lane];
	}
}

static void expect(struct kernel_case *c, size_t done)
{
	struct sums *sums = (struct sums *)c->want;
	if (done == 0)
		*sums = (struct sums){0, 0};
	add_products((const float *)c->in[0] + done, (const float *)c->in[1] + done, c->arg[0].u64 - done, sums);
	c->want_value.f64 = sums->total;
	c->tolerance = (c->kind == REAL ? REAL_TOLERANCE : c->kind == BALANCED ? BALANCED_TOLERANCE : 0) * sums->magnitude;
}

static void fill(struct kernel_case *c)
{
	float *a = (float *)c->in[0], *b = (float *)c->in[1];
	const size_t n = c->arg[0].u64;
	struct bulk_random generator;
	bulk_seed(&generator);
	switch ((enum kind)c->kind) {
	case REAL:
		bulk_floats(&generator, a, n);
		bulk_floats(&generator, b, n);
		break;
	case INTEGERS: fill_integers(a, b, n); break;
	case SIGNS: fill_signs(&generator, a, b, n); break;
	case WIDE_AND_RARE: fill_wide_and_rare(a, b, n); break;
	case SIGN_BLOCKS: fill_sign_blocks(&generator, a, b, n); break;
	case BALANCED: fill_balanced(&generator, a, b, n); break;
	}
	if (!c->inputs_only)
		expect(c, 0);
}

static bool check(const struct kernel_case *c, const unsigned char *out, union kernel_word ret, char *why, size_t why_size)
{
	(void)out;
	if (fabs((double)ret.f32 - c->want_value.f64) <= c->tolerance) /* false for NaN */
		return true;
	if (c->tolerance > 0)
		snprintf(why, why_size, "the result is %.9g, expected %.9g within %.2g", (double)ret.f32, c->want_value.f64, c->tolerance);
	else
		snprintf(why, why_size, "the result is %.9g, expected exactly %.0f", (double)ret.f32, c->want_value.f64);
	return false;
}

const struct kernel kernel = {
	.name = "dot_f32",
	.args = {{"n", KERNEL_U64}},
	.in_align = {sizeof(float), sizeof(float)},
	.plan = plan,
	.extra_checks = 3,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.expect = expect,
	.check = check,
};

#endif
