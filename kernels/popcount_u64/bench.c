/* popcount_u64: the expectation is counted block by block while the words are still in the cache. */
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
#include <stdio.h>

enum kind { RANDOM, ONES, SINGLE_BITS, ZEROS };
static const char *const kind_note[] = {
	[RANDOM] = "random words",
	[ONES] = "all bits set",                 /* overflows byte and 16-bit counters, and at 2^31 bits a signed int */
	[SINGLE_BITS] = "one bit set in a word", /* a counter that looks at 32 bits misses half of them */
	[ZEROS] = "no bit set",
};

static const size_t sizes[] = {KERNEL_TEST_SIZES, 65537, 100003};
enum { SIZES = sizeof sizes / sizeof sizes[0], KINDS = 4 };

static void shape(size_t n, enum kind kind, struct kernel_case *c)
{
	c->in_bytes[0] = n * sizeof(uint64_t);
	c->arg[0].u64 = n;
	c->units = (double)n;
	c->kind = kind;
	snprintf(c->note, sizeof c->note, "n = %zu, %s", n, kind_note[kind]);
}

static void shape_test(size_t index, struct kernel_case *c)
{
	shape(sizes[index / KINDS], (enum kind)(index % KINDS), c);
}

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	switch (variant) {
	case 0: shape(size, RANDOM, c); break;
	case 1: shape(size, ONES, c); break;
	default: shape(size - size / 16 % 8 - 5, RANDOM, c); break; /* a large size that is no multiple of anything */
	}
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

static uint64_t fill_random(uint64_t *words, size_t n)
{
	enum { BLOCK = 1024 };
	struct bulk_random generator;
	bulk_seed(&generator);
	uint64_t bits = 0;
	for (size_t start = 0; start < n; start += BLOCK) {
		const size_t length = n - start < BLOCK ? n - start : BLOCK;
		bulk_bytes(&generator, words + start, length * sizeof *words);
		bits += count(words + start, length);
	}
	return bits;
}

static void fill(struct kernel_case *c)
{
	uint64_t *words = (uint64_t *)c->in[0];
	const size_t n = c->arg[0].u64;
	switch ((enum kind)c->kind) {
	case RANDOM: c->want_value.u64 = fill_random(words, n); break;
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
	.in_align = {sizeof(uint64_t)},
	.tests = SIZES * KINDS,
	.extra_checks = 2,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.check = check,
};

#endif
