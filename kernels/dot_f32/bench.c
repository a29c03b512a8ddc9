/* dot_f32: real values within a tolerance, and integers that must be exact.

   The tolerance (1e-6 of the sum of magnitudes) forgives the order of additions, and with it a dropped element: at 16 Mi elements it is 4.  So most
   cases have integer inputs whose partial sums stay below 2^24 in any order, where a dropped element, a product counted twice or inputs rounded to
   half precision (11 bits) show as a wrong integer. */
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
#include <math.h>
#include <stdio.h>

enum kind { REAL, INTEGERS, SIGNS, WIDE_AND_RARE };
static const char *const kind_note[] = {
	[REAL] = "values in [-1, 1)",
	[INTEGERS] = "integers of up to 12 bits",
	[SIGNS] = "values -1, 0 and 1",
	[WIDE_AND_RARE] = "zeros and a few integers of 12 bits", /* half precision at the benchmark size only */
};

static const size_t sizes[] = {KERNEL_TEST_SIZES, 65537, 100003};
enum { SIZES = sizeof sizes / sizeof sizes[0], SMALL_KINDS = 3 };
static const double exact_limit = 1 << 24; /* floats hold every integer up to it */

static void shape(size_t n, enum kind kind, struct kernel_case *c)
{
	c->in_bytes[0] = c->in_bytes[1] = n * sizeof(float);
	c->arg[0].u64 = n;
	c->units = (double)n;
	c->kind = kind;
	snprintf(c->note, sizeof c->note, "n = %zu, %s", n, kind_note[kind]);
}

static void shape_test(size_t index, struct kernel_case *c)
{
	shape(sizes[index / SMALL_KINDS], (enum kind)(index % SMALL_KINDS), c);
}

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	switch (variant) {
	case 0: shape(size, REAL, c); break;
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

typedef float floats __attribute__((vector_size(32), aligned(4), may_alias));
typedef double doubles __attribute__((vector_size(64)));
typedef int64_t longs __attribute__((vector_size(64)));

/* In double, every product of two floats is exact. */
static void expect(struct kernel_case *c)
{
	enum { WIDTH = sizeof(doubles) / sizeof(double) };
	const float *a = (const float *)c->in[0], *b = (const float *)c->in[1];
	const size_t n = c->arg[0].u64;
	doubles sum = {0}, magnitude = {0};
	size_t i = 0;
	for (; i + WIDTH <= n; i += WIDTH) {
		const doubles product = __builtin_convertvector(*(const floats *)(a + i), doubles) * __builtin_convertvector(*(const floats *)(b + i), doubles);
		sum += product;
		magnitude += (doubles)((longs)product & INT64_MAX);
	}
	double total = 0, total_magnitude = 0;
	for (; i < n; i++) {
		total += (double)a[i] * b[i];
		total_magnitude += fabs((double)a[i] * b[i]);
	}
	for (size_t lane = 0; lane < WIDTH; lane++) {
		total += sum[lane];
		total_magnitude += magnitude[lane];
	}
	c->want_value.f64 = total;
	c->tolerance = c->kind == REAL ? 1e-6 * total_magnitude : 0;
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
	}
	expect(c);
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
	.in_align = {sizeof(float), sizeof(float)},
	.tests = SIZES * SMALL_KINDS,
	.extra_checks = 3,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.check = check,
};

#endif
