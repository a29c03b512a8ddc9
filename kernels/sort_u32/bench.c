/* sort_u32: what is sorted; the result must be equal to the judge's own radix sort of the same values. */
#include "kernel.h"

#ifdef KERNEL_STUB

void sort_u32(uint32_t *data, size_t n);

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)in0, (void)in1, (void)ret;
	sort_u32(out, arg[0].u64);
}

#else

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	RANDOM, SORTED, REVERSED, ALL_EQUAL, TWO_VALUES, EXTREMES, FEW_VALUES, LOW_BYTE, HIGH_BYTE, SIGN_BIT, ORGAN_PIPE, LAST_SMALLEST, FIRST_LARGEST,
	PAIR_SWAPPED, KINDS,
	ONE_TOP_BYTE = KINDS
};
static const char *const KIND_NAMES[] = {
	"random", "sorted", "reversed", "all equal", "two values", "0 and the largest values", "few values", "only the lowest byte differs",
	"only the highest byte differs", "around 2^31", "rising, then falling", "sorted but for the last", "sorted but for the first",
	"sorted but for two neighbours", "only the lowest three bytes differ",
};
static const size_t SIZES[] = {KERNEL_TEST_SIZES};
/* Large enough for the paths that small tests never reach, and for counters of 16 bits to overflow; not so large that what malloc keeps
   of a freed buffer would count much in the benchmark's peak memory. */
static const struct {
	size_t n;
	enum kind kind;
} LARGE[] = {
	{65535, RANDOM}, {65536, ALL_EQUAL}, {65537, TWO_VALUES}, {70001, RANDOM}, {131072, LOW_BYTE}, {131073, FEW_VALUES}, {150001, REVERSED},
	{200003, HIGH_BYTE}, {262145, ONE_TOP_BYTE}, {262147, RANDOM},
};
enum { SMALL_TESTS = sizeof SIZES / sizeof *SIZES * KINDS, LARGE_TESTS = sizeof LARGE / sizeof *LARGE };

static void shape(struct kernel_case *c, size_t n, enum kind kind)
{
	c->out_bytes = c->want_bytes = n * sizeof(uint32_t);
	c->arg[0].u64 = n;
	c->units = (double)n;
	c->kind = kind;
	snprintf(c->note, sizeof c->note, "n = %zu, %s", n, KIND_NAMES[kind]);
}

static void shape_test(size_t index, struct kernel_case *c)
{
	if (index < SMALL_TESTS)
		shape(c, SIZES[index / KINDS], (enum kind)(index % KINDS));
	else
		shape(c, LARGE[index - SMALL_TESTS].n, LARGE[index - SMALL_TESTS].kind);
}

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	shape(c, size, variant == 0 ? RANDOM : ONE_TOP_BYTE);
}

/* One stable pass by the byte at `shift`, from src to dst. */
static void radix_pass(const uint32_t *src, uint32_t *dst, size_t n, unsigned shift)
{
	size_t place[256] = {0}, sum = 0;
	for (size_t i = 0; i < n; i++)
		place[src[i] >> shift & 255]++;
	for (unsigned b = 0; b < 256; b++) {
		size_t count = place[b];
		place[b] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		dst[place[src[i] >> shift & 255]++] = src[i];
}

/* sorted = the values of data, ascending */
static void sort_into(const uint32_t *data, uint32_t *sorted, size_t n)
{
	uint32_t *other = malloc((n + 1) * sizeof *other);
	if (!other)
		abort();
	radix_pass(data, other, n, 0);
	radix_pass(other, sorted, n, 8);
	radix_pass(sorted, other, n, 16);
	radix_pass(other, sorted, n, 24);
	free(other);
}

static uint32_t random_value(enum kind kind, uint64_t random, const uint32_t common[4])
{
	uint32_t r = (uint32_t)random;
	unsigned choice = random >> 40 & 3;
	switch (kind) {
	case ALL_EQUAL:
		return common[0];
	case TWO_VALUES:
		return common[choice & 1];
	case FEW_VALUES:
		return common[choice];
	case EXTREMES:
		return choice & 1 ? (choice & 2 ? 0 : 1) : UINT32_MAX - (r & 1);
	case LOW_BYTE:
		return (common[0] & 0xffffff00) | (r & 0xff);
	case HIGH_BYTE:
		return (common[0] & 0x00ffffff) | (r & 0xff000000);
	case ONE_TOP_BYTE:
		return (common[0] & 0xff000000) | (r & 0x00ffffff);
	case SIGN_BIT:
		return UINT32_C(0x80000000) - 8 + (r & 15);
	default:
		return r;
	}
}

static void reverse(uint32_t *v, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t t = v[i];
		v[i] = v[n - 1 - i];
		v[n - 1 - i] = t;
	}
}

/* data = the sorted values, rearranged as the kind says */
static void arrange(enum kind kind, const uint32_t *sorted, uint32_t *data, size_t n)
{
	if (n == 0)
		return;
	if (kind == LAST_SMALLEST) {
		memcpy(data, sorted + 1, (n - 1) * sizeof *data);
		data[n - 1] = sorted[0];
	} else if (kind == FIRST_LARGEST) {
		memcpy(data + 1, sorted, (n - 1) * sizeof *data);
		data[0] = sorted[n - 1];
	} else if (kind == ORGAN_PIPE) {
		for (size_t i = 0; i < n; i++)
			data[i % 2 ? n - 1 - i / 2 : i / 2] = sorted[i];
	} else {
		memcpy(data, sorted, n * sizeof *data);
		if (kind == REVERSED)
			reverse(data, n);
		if (kind == PAIR_SWAPPED && n > 1)
			reverse(data + kernel_random_below(n - 1), 2);
	}
}

static bool starts_from_sorted(enum kind kind)
{
	return kind == SORTED || kind == REVERSED || kind == ORGAN_PIPE || kind == LAST_SMALLEST || kind == FIRST_LARGEST || kind == PAIR_SWAPPED;
}

static void fill(struct kernel_case *c)
{
	uint32_t *data = (uint32_t *)(void *)c->out_start, *sorted = (uint32_t *)(void *)c->want, common[4];
	size_t n = c->out_bytes / sizeof *data;
	for (unsigned i = 0; i < 4; i++)
		common[i] = (uint32_t)kernel_random();
	for (size_t i = 0; i < n; i++)
		data[i] = random_value((enum kind)c->kind, kernel_random(), common);
	sort_into(data, sorted, n);
	if (starts_from_sorted((enum kind)c->kind))
		arrange((enum kind)c->kind, sorted, data, n);
}

static bool check(const struct kernel_case *c, const unsigned char *out, union kernel_word ret, char *why, size_t why_size)
{
	(void)ret;
	const uint32_t *got = (const uint32_t *)(const void *)out, *want = (const uint32_t *)(const void *)c->want;
	size_t n = c->out_bytes / sizeof *got, i = 0;
	if (memcmp(got, want, c->out_bytes) == 0)
		return true;
	while (got[i] == want[i])
		i++;
	size_t j = 1;
	while (j < n && got[j - 1] <= got[j])
		j++;
	if (j < n)
		snprintf(why, why_size, "element %zu is %" PRIu32 ", after %" PRIu32 ": not ascending; the first wrong one is element %zu, expected %" PRIu32,
			 j, got[j], got[j - 1], i, want[i]);
	else
		snprintf(why, why_size, "element %zu is %" PRIu32 ", expected %" PRIu32 ": ascending, but not the values that were given", i, got[i], want[i]);
	return false;
}

const struct kernel kernel = {
	.name = "sort_u32",
	.out_align = sizeof(uint32_t),
	.in_place = true,
	.tests = SMALL_TESTS + LARGE_TESTS,
	.extra_checks = 1,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.check = check,
};

#endif
