/* count_distinct_u32: which values, and how often; the judge counts with a bitmap, or by sorting when there are few.

   What the benchmark's values have that others lack, and what is done about it:
   - Uniform values fall into any buckets evenly, and none occurs more than a few times, so that buckets of a fixed size, or counters of a few bits, would
     be right.  One value in a hundred therefore lies in stretches of other kinds, strewn among the others: a few thousand neighbours, one value over
     and over, ascending ones, the ends of the range.
   - How many are different is known but for a thousandth of it: the result must be exact.
   - The number of values is fixed: small tests have every other; the checks have values twice, all different, and mostly in one small range. */
#include "kernel.h"

#ifdef KERNEL_STUB

size_t count_distinct_u32(const uint32_t *values, size_t n);

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)in1, (void)out;
	ret->u64 = count_distinct_u32(in0, arg[0].u64);
}

#else

#include "sizes.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { RANDOM, ALL_EQUAL, ALL_DIFFERENT, ENDS_OF_RANGE, FEW_VALUES, DENSE, HIGH_BITS, NO_ZERO, ONE_ZERO, LAST_IS_NEW, EACH_TWICE, KINDS,
	STRETCHES = KINDS, CLUSTERED
};
static const char *const KIND_NAMES[] = {
	"random", "all equal", "all different", "around 0 and 2^26 - 1", "few values", "values below n", "only the highest bits differ",
	"0 does not occur", "0 occurs once", "the last value is the only new one", "each value twice, far apart", "random, stretches of other kinds", "seven of eight in a range of 2^18",
};
static struct sizes_tests tests;
static const struct {
	size_t n;
	enum kind kind;
} LARGE[] = {{65537, ALL_DIFFERENT}, {66000, ALL_EQUAL}, {100003, HIGH_BITS}, {131072, EACH_TWICE}, {300007, RANDOM}, {1000003, DENSE}};
enum {
	RANGE_BITS = 26, RANGE = 1 << RANGE_BITS, BITMAP_BYTES = RANGE / 8,
	SORTED_UP_TO = 10000, /* longer inputs are worth clearing a bitmap for */
	LARGE_TESTS = sizeof LARGE / sizeof *LARGE
};

static void shape(struct kernel_case *c, size_t n, enum kind kind)
{
	c->in_bytes[0] = n * sizeof(uint32_t);
	c->want_bytes = n > SORTED_UP_TO ? BITMAP_BYTES : n * sizeof(uint32_t);
	c->arg[0].u64 = n;
	c->units = (double)n;
	c->kind = kind;
	c->content = KIND_NAMES[kind];
	snprintf(c->note, sizeof c->note, "n = %zu, %s", n, KIND_NAMES[kind]);
}

static size_t plan(size_t size)
{
	/* an answer may clear 8 MiB in every call: few classes each, in turn */
	const struct sizes_recipe recipe = {
		.kinds = KINDS, .telling = {2, .kind = {ALL_DIFFERENT, RANDOM}}, .dense = 2, .sparse_one_in = 2,
		.shared_kind = ALL_DIFFERENT, .modulus = 64, .spread = 4, .guarded_up_to = SIZES_HIGH / 2,
	};
	sizes_plan(&tests, &recipe, size);
	for (size_t i = 0; i < LARGE_TESTS; i++)
		sizes_test(&tests, LARGE[i].n + kernel_random_below(64), 0, LARGE[i].kind);
	return tests.count;
}

static void shape_test(size_t index, struct kernel_case *c)
{
	const struct sizes_test *test = &tests.test[index];
	shape(c, test->n, (enum kind)test->kind);
	c->guarded = test->guarded;
	c->inputs_only = test->inputs_only;
	c->shared = test->shared;
}

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	static const enum kind VARIANTS[] = {STRETCHES, EACH_TWICE, ALL_DIFFERENT, CLUSTERED};
	shape(c, size, VARIANTS[variant]);
}

/* What the values of one case have in common. */
struct recipe {
	enum kind kind;
	size_t n;
	uint32_t few[4];
	uint32_t factor, offset; /* i -> factor i + offset is one to one modulo 2^26, as factor is odd */
};

static uint32_t nth_different(const struct recipe *r, size_t i)
{
	return (uint32_t)(i * r->factor + r->offset) % RANGE;
}

static uint32_t value(const struct recipe *r, size_t i)
{
	uint32_t random = (uint32_t)(kernel_random() >> (64 - RANGE_BITS));
	switch (r->kind) {
	case ALL_EQUAL:
		return r->few[0];
	case ALL_DIFFERENT:
		return nth_different(r, i);
	case ENDS_OF_RANGE:
		return random & 1 ? random >> 1 & 3 : RANGE - 1 - (random >> 1 & 3);
	case FEW_VALUES:
		return r->few[random & 3];
	case DENSE:
		return (uint32_t)kernel_random_below(r->n);
	case HIGH_BITS:
		return (r->few[0] & 0xffff) | (random & ~UINT32_C(0xffff));
	case NO_ZERO:
		return random ? random : 1;
	case ONE_ZERO:
		return i == r->n / 2 ? 0 : random ? random : 1;
	case LAST_IS_NEW:
		return i + 1 == r->n ? nth_different(r, r->n) : nth_different(r, i % ((r->n + 1) / 2));
	case CLUSTERED:
		return random % 8 ? (r->few[0] & ~UINT32_C(0x3ffff)) | (random >> 3 & 0x3ffff) : random;
	case EACH_TWICE:
		return nth_different(r, i % ((r->n + 1) / 2));
	default:
		return random;
	}
}

/* A value in a hundred belongs to a stretch of 256 to 1023 around one of a few values. */
static void strew_stretches(const struct recipe *r, uint32_t *values)
{
	for (size_t stretch = 0; stretch < r->n / 65536; stretch++) {
		const size_t length = 256 + kernel_random_below(768), from = kernel_random_below(r->n - length + 1);
		const uint32_t base = r->few[kernel_random_below(4)];
		const unsigned manner = (unsigned)kernel_random_below(4);
		for (size_t i = 0; i < length; i++) {
			const uint32_t random = (uint32_t)kernel_random_below(4096);
			const uint32_t others[] = {base + random, base, base + (uint32_t)i, random & 1 ? random & 2 : RANGE - 1 - (random & 2)};
			values[from + i] = others[manner] % RANGE;
		}
	}
}

static int ascending(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return (a > b) - (a < b);
}

static size_t distinct_by_sorting(const uint32_t *values, size_t n, uint32_t *copy)
{
	if (n == 0)
		return 0;
	memcpy(copy, values, n * sizeof *copy);
	qsort(copy, n, sizeof *copy, ascending);
	size_t count = 1;
	for (size_t i = 1; i < n; i++)
		count += copy[i] != copy[i - 1];
	return count;
}

/* Values that are new to the bitmap. */
static size_t new_in_bitmap(const uint32_t *values, size_t n, uint64_t *bitmap)
{
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		const uint64_t bit = UINT64_C(1) << values[i] % 64, word = bitmap[values[i] / 64];
		count += !(word & bit);
		bitmap[values[i] / 64] = word | bit;
	}
	return count;
}

static size_t distinct_by_bitmap(const uint32_t *values, size_t n, uint64_t *bitmap)
{
	memset(bitmap, 0, BITMAP_BYTES);
	return new_in_bitmap(values, n, bitmap);
}

static void expect(struct kernel_case *c, size_t done)
{
	const uint32_t *values = (const uint32_t *)(const void *)c->in[0];
	if (done == 0) {
		memset(c->want, 0, BITMAP_BYTES);
		c->want_value.u64 = 0;
	}
	c->want_value.u64 += new_in_bitmap(values + done, c->arg[0].u64 - done, (uint64_t *)(void *)c->want);
}

static void fill(struct kernel_case *c)
{
	uint32_t *values = (uint32_t *)(void *)c->in[0];
	struct recipe r = {.kind = (enum kind)c->kind, .n = c->in_bytes[0] / sizeof *values};
	for (unsigned i = 0; i < 4; i++)
		r.few[i] = (uint32_t)kernel_random_below(RANGE);
	r.factor = (uint32_t)kernel_random() | 1;
	r.offset = (uint32_t)kernel_random();
	for (size_t i = 0; i < r.n; i++)
		values[i] = value(&r, i);
	if (r.kind == STRETCHES)
		strew_stretches(&r, values);
	if (c->inputs_only)
		return;
	if (r.n > SORTED_UP_TO)
		c->want_value.u64 = distinct_by_bitmap(values, r.n, (uint64_t *)(void *)c->want);
	else
		c->want_value.u64 = distinct_by_sorting(values, r.n, (uint32_t *)(void *)c->want);
}

static bool check(const struct kernel_case *c, const unsigned char *out, union kernel_word ret, char *why, size_t why_size)
{
	(void)out;
	if (ret.u64 == c->want_value.u64)
		return true;
	snprintf(why, why_size, "returned %" PRIu64 ", expected %" PRIu64, ret.u64, c->want_value.u64);
	return false;
}

const struct kernel kernel = {
	.name = "count_distinct_u32",
	.args = {{"n", KERNEL_U64}},
	.in_align = {sizeof(uint32_t)},
	.plan = plan,
	.extra_checks = 3,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.expect = expect,
	.check = check,
};

#endif
