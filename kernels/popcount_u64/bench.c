/* popcount_u64: the expectation is counted block by block while the words are still in the cache.

   What the benchmark's words have that others lack, and what is done about it:
   - Random words have 32 bits set, give or take 4, and no hundred of them have many more, so that narrow counters that are emptied too late would be right.
     Stretches of words that are all ones, 1024 to 65536 of them, and of zeros are therefore strewn among the timed ones: three words of a hundred.
   - The number of words is fixed and a power of two, and the sum is near 2^30: shared inputs have every
     magnitude of other numbers, and a check has all bits set, 2^31. */
#include "kernel.h"

uint64_t popcount_u64(const uint64_t *words, size_t n);

#ifdef KERNEL_STUB

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)in1;
	(void)out;
	ret->u64 = popcount_u64(in0, arg[0].u64);
}

#else

#include "bulk_random.h"
#include "sizes.h"
#include <stdio.h>

enum kind { RANDOM, ONES, SINGLE_BITS, ZEROS, STRETCHES };
enum { KINDS = ZEROS + 1 };
static const char *const kind_note[] = {
	[RANDOM] = "random words",
	[ONES] = "all bits set",                 /* overflows byte and 16-bit counters, and at 2^31 bits a signed int */
	[SINGLE_BITS] = "one bit set in a word", /* a counter that looks at 32 bits misses half of them */
	[STRETCHES] = "random words, stretches of ones and of zeros",
	[ZEROS] = "no bit set",
};

static struct sizes_tests tests;

static void shape(size_t n, enum kind kind, struct kernel_case *c)
{
	c->in_bytes[0] = n * sizeof(uint64_t);
	c->arg[0].u64 = n;
	c->units = (double)n;
	c->kind = kind;
	c->content = kind_note[kind];
	snprintf(c->note, sizeof c->note, "n = %zu, %s", n, kind_note[kind]);
}

static size_t plan(size_t size)
{
	const struct sizes_recipe recipe = {
		.kinds = KINDS, .telling = {1, .kind = {RANDOM}}, .dense = KINDS, .sparse_one_in = 1,
		.shared_kind = RANDOM, .modulus = 64, .spread = 4,
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

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	shape(size, variant == 0 ? STRETCHES : ONES, c);
}

static uint64_t count(const uint64_t *words, size_t n)
{
	uint64_t sums[4] = {0};
	size_t i = 0;
	for (; i + 4 <= n; i += 4)
		for (size_t lane = 0; lane < 4; lane++)
			sums[lane] += (uint64_t)__builtin_popcountll(words[i + lane]);
	for (; i < n; i++)
		sums[0] += (uint64_t)__builtin_popcountll(words[i]);
	return sums[0] + sums[1] + sums[2] + sums[3];
}

/* stretches: a block in 64 is all ones, one is all zeros, and one in 4096 begins a long stretch of ones. */
static uint64_t fill_random(uint64_t *words, size_t n, bool counted, bool stretches)
{
	enum { BLOCK = 1024, LONG_STRETCH = 64 };
	size_t ones_left = 0;
	struct bulk_random generator;
	bulk_seed(&generator);
	uint64_t bits = 0;
	for (size_t start = 0; start < n; start += BLOCK) {
		const size_t length = n - start < BLOCK ? n - start : BLOCK;
		const uint64_t draw = stretches ? kernel_random_below(4096) : 4096;
		if (draw == 0)
			ones_left = LONG_STRETCH;
		if (ones_left > 0 || draw < 64) {
			memset(words + start, 0xFF, length * sizeof *words);
			ones_left -= ones_left > 0;
		} else if (draw < 128) {
			memset(words + start, 0, length * sizeof *words);
		} else {
			bulk_bytes(&generator, words + start, length * sizeof *words);
		}
		if (counted)
			bits += count(words + start, length);
	}
	return bits;
}

static void fill(struct kernel_case *c)
{
	uint64_t *words = (uint64_t *)c->in[0];
	const size_t n = c->arg[0].u64;
	switch ((enum kind)c->kind) {
	case RANDOM: c->want_value.u64 = fill_random(words, n, !c->inputs_only, false); break;
	case STRETCHES: c->want_value.u64 = fill_random(words, n, true, true); break;
	case ONES:
		memset(words, 0xFF, n * sizeof *words);
		c->want_value.u64 = 64 * n;
		break;
	case SINGLE_BITS:
		for (size_t i = 0; i < n; i++)
			words[i] = UINT64_C(1) << kernel_random_below(64);
		c->want_value.u64 = n;
		break;
	case ZEROS:
		memset(words, 0, n * sizeof *words);
		c->want_value.u64 = 0;
		break;
	}
}

static void expect(struct kernel_case *c, size_t done)
{
	if (done == 0)
		c->want_value.u64 = 0;
	c->want_value.u64 += count((const uint64_t *)c->in[0] + done, c->arg[0].u64 - done);
}

static bool check(const struct kernel_case *c, const unsigned char *out, union kernel_word ret, char *why, size_t why_size)
{
	(void)out;
	if (ret.u64 == c->want_value.u64)
		return true;
	snprintf(why, why_size, "the result is %llu, expected %llu", (unsigned long long)ret.u64, (unsigned long long)c->want_value.u64);
	return false;
}

const struct kernel kernel = {
	.name = "popcount_u64",
	.args = {{"n", KERNEL_U64}},
	.in_align = {sizeof(uint64_t)},
	.plan = plan,
	.extra_checks = 1,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.expect = expect,
	.check = check,
};

#endif
