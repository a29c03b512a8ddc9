/* sort_u32: what is sorted; the result must be equal to the judge's own radix sort of the same values.

   What the benchmark's values have that others lack, and what is done about it:
   - Uniform values fall into any buckets evenly, are where interpolation expects them, and hardly any occurs twice, so that buckets of a fixed size would be
     right.  One value in a hundred therefore lies in stretches of other kinds, strewn among the others: a few thousand neighbours, one value over and
     over, ascending and descending ones, the smallest and the largest.
   - The number of values is fixed and a power of two: small tests have every other; a check has one highest byte, another one most values in a small range. */
#include "kernel.h"

#ifdef KERNEL_STUB

void sort_u32(uint32_t *data, size_t n);

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)in0, (void)in1, (void)ret;
	sort_u32(out, arg[0].u64);
}

#else

#include "sizes.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	RANDOM, SORTED, REVERSED, ALL_EQUAL, TWO_VALUES, EXTREMES, FEW_VALUES, LOW_BYTE, HIGH_BYTE, SIGN_BIT, ORGAN_PIPE, LAST_SMALLEST, FIRST_LARGEST,
	PAIR_SWAPPED, KINDS,
	ONE_TOP_BYTE = KINDS, RANDOM_SHARED, ENDS_DISPLACED, STRETCHES, CLUSTERED
};
static const char *const KIND_NAMES[] = {
	"random", "sorted", "reversed", "all equal", "two values", "0 and the largest values", "few values", "only the lowest byte differs",
	"only the highest byte differs", "around 2^31", "rising, then falling", "sorted but for the last", "sorted but for the first",
	"sorted but for two neighbours", "only the lowest three bytes differ", "random, shared",
	"random, the largest first and the smallest last", "random, stretches of other kinds", "seven of eight in a range of 2^18",
};
static struct sizes_tests tests;
/* Large enough for the paths that small tests never reach, and for counters of 16 bits to overflow; a little more at random. */
static const struct {
	size_t n;
	enum kind kind;
} LARGE[] = {
	{65536, ALL_EQUAL}, {65537, TWO_VALUES}, {131072, LOW_BYTE}, {131073, FEW_VALUES}, {150001, REVERSED}, {200003, HIGH_BYTE}, {262145, ONE_TOP_BYTE},
};
enum { LARGE_TESTS = sizeof LARGE / sizeof *LARGE };

static void shape(struct kernel_case *c, size_t n, enum kind kind)
{
	c->out_bytes = n * sizeof(uint32_t);
	c->want_bytes = kind == RANDOM_SHARED ? sizeof(uint64_t) : c->out_bytes;
	c->arg[0].u64 = n;
	c->units = (double)n;
	c->kind = kind;
	c->content = KIND_NAMES[kind];
	snprintf(c->note, sizeof c->note, "n = %zu, %s", n, KIND_NAMES[kind]);
}

static size_t plan(size_t size)
{
	const struct sizes_recipe recipe = {
		.kinds = KINDS, .telling = {1, .kind = {ENDS_DISPLACED}}, .dense = KINDS, .sparse_one_in = 1,
		.shared_kind = RANDOM_SHARED, .modulus = 64, .spread = 4,
	};
	sizes_plan(&tests, &recipe, size);
	/* none above the benchmark's: a static buffer for what is timed, and one on the heap for more, are together above the limit of memory */
	for (size_t i = 0; i < tests.count; i++)
		if (tests.test[i].n > size)
			tests.test[i].n = size;
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
	static const enum kind VARIANTS[] = {STRETCHES, ONE_TOP_BYTE, CLUSTERED};
	shape(c, size, VARIANTS[variant]);
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

/* Shared cases are not sorted here: what is expected of them is ascending order, and the sum of a keyed hash of the values, which only the same
   values have whoever does not know the key. */
static uint64_t hash_key[2];
static uint64_t sum_of_hashes(const uint32_t *values, size_t n)
{
	typedef uint32_t values8 __attribute__((vector_size(32), aligned(4), may_alias));
	typedef uint64_t words8 __attribute__((vector_size(64)));
	uint64_t sum = 0;
	words8 sums = {0};
	size_t i = 0;
	for (; i + 8 <= n; i += 8) {
		words8 h = (__builtin_convertvector(*(const values8 *)(values + i), words8) ^ hash_key[0]) * UINT64_C(0xff51afd7ed558ccd);
		h = (h ^ h >> 33 ^ hash_key[1]) * UINT64_C(0xc4ceb9fe1a85ec53);
		sums += h ^ h >> 33;
	}
	for (size_t lane = 0; lane < 8; lane++)
		sum += sums[lane];
	for (; i < n; i++) {
		uint64_t h = (values[i] ^ hash_key[0]) * UINT64_C(0xff51afd7ed558ccd);
		h = (h ^ h >> 33 ^ hash_key[1]) * UINT64_C(0xc4ceb9fe1a85ec53);
		sum += h ^ h >> 33;
	}
	return sum;
}

static void expect(struct kernel_case *c, size_t done)
{
	uint64_t *sum = (uint64_t *)(void *)c->want;
	if (done == 0)
		*sum = 0;
	*sum += sum_of_hashes((const uint32_t *)(const void *)c->out_start + done, c->arg[0].u64 - done);
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
	case CLUSTERED:
		return choice || (random >> 42 & 1) ? (common[0] & ~UINT32_C(0x3ffff)) | (r & 0x3ffff) : r;
	case ONE_TOP_BYTE:
		return (common[0] & 0xff000000) | (r & 0x00ffffff);
	case SIGN_BIT:
		return UINT32_C(0x80000000) - 8 + (r & 15);
	default:
		return r;
	}
}

/* A value in a hundred belongs to a stretch of 256 to 1023 around one of a few values. */
static void strew_stretches(uint32_t *data, size_t n, const uint32_t common[4])
{
	for (size_t stretch = 0; stretch < n / 65536; stretch++) {
		const size_t length = 256 + kernel_random_below(768), from = kernel_random_below(n - length + 1);
		const uint32_t base = common[kernel_random_below(4)];
		const unsigned manner = (unsigned)kernel_random_below(5);
		for (size_t i = 0; i < length; i++) {
			const uint32_t random = (uint32_t)kernel_random_below(4096);
			const uint32_t others[] = {base + random, base, base + (uint32_t)i, base - (uint32_t)i, random & 1 ? random & 2 : UINT32_MAX - (random & 2)};
			data[from + i] = others[manner];
		}
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

static void exchange(uint32_t *x, uint32_t *y)
{
	const uint32_t t = *x;
	*x = *y;
	*y = t;
}

static void put_extremes_at_wrong_ends(uint32_t *data, size_t n)
{
	size_t least = 0, largest = 0;
	for (size_t i = 0; i < n; i++)
		least = data[i] < data[least] ? i : least;
	exchange(&data[least], &data[n - 1]);
	for (size_t i = 0; i < n; i++)
		largest = data[i] > data[largest] ? i : largest;
	exchange(&data[largest], &data[0]);
}

/* The last element of no shared case is where it belongs before it is sorted, and the first one neither. */
static void displace_ends(uint32_t *data)
{
	data[0] |= UINT32_C(0xffff0000);
	for (size_t i = 0; i < tests.count; i++)
		if (tests.test[i].shared)
			data[tests.test[i].n - 1] &= 0xffff;
}

static void fill(struct kernel_case *c)
{
	uint32_t *data = (uint32_t *)(void *)c->out_start, *sorted = (uint32_t *)(void *)c->want, common[4];
	size_t n = c->out_bytes / sizeof *data;
	for (unsigned i = 0; i < 4; i++)
		common[i] = (uint32_t)kernel_random();
	for (size_t i = 0; i < n; i++)
		data[i] = random_value((enum kind)c->kind, kernel_random(), common);
	if (c->kind == RANDOM_SHARED) {
		hash_key[0] = kernel_random();
		hash_key[1] = kernel_random();
		displace_ends(data);
		return;
	}
	if (c->kind == STRETCHES)
		strew_stretches(data, n, common);
	sort_into(data, sorted, n);
	if (c->kind == ENDS_DISPLACED && n > 0)
		put_extremes_at_wrong_ends(data, n);
	if (starts_from_sorted((enum kind)c->kind))
		arrange((enum kind)c->kind, sorted, data, n);
}

static size_t first_descent(const uint32_t *v, size_t n)
{
	size_t j = 1;
	while (j < n && v[j - 1] <= v[j])
		j++;
	return j;
}

static bool shared_is_right(const struct kernel_case *c, const uint32_t *got, size_t n, char *why, size_t why_size)
{
	const size_t j = first_descent(got, n);
	if (j < n)
		snprintf(why, why_size, "element %zu is %" PRIu32 ", after %" PRIu32 ": not ascending", j, got[j], got[j - 1]);
	else if (sum_of_hashes(got, n) != *(const uint64_t *)(const void *)c->want)
		snprintf(why, why_size, "ascending, but not the values that were given");
	else
		return true;
	return false;
}

static bool check(const struct kernel_case *c, const unsigned char *out, union kernel_word ret, char *why, size_t why_size)
{
	(void)ret;
	const uint32_t *got = (const uint32_t *)(const void *)out, *want = (const uint32_t *)(const void *)c->want;
	size_t n = c->out_bytes / sizeof *got, i = 0;
	if (c->kind == RANDOM_SHARED)
		return shared_is_right(c, got, n, why, why_size);
	if (memcmp(got, want, c->out_bytes) == 0)
		return true;
	while (got[i] == want[i])
		i++;
	size_t j = first_descent(got, n);
	if (j < n)
		snprintf(why, why_size, "element %zu is %" PRIu32 ", after %" PRIu32 ": not ascending; the first wrong one is element %zu, expected %" PRIu32,
			 j, got[j], got[j - 1], i, want[i]);
	else
		snprintf(why, why_size, "element %zu is %" PRIu32 ", expected %" PRIu32 ": ascending, but not the values that were given", i, got[i], want[i]);
	return false;
}

const struct kernel kernel = {
	.name = "sort_u32",
	.args = {{"n", KERNEL_U64}},
	.out_align = sizeof(uint32_t),
	.in_place = true,
	.plan = plan,
	.extra_checks = 2,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.expect = expect,
	.check = check,
};

#endif
