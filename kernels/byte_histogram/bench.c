/* byte_histogram: the generator lays runs of equal bytes and counts them as it goes, so the expectation never looks at the bytes.

   Long runs and a whole input of one byte overflow the narrow counters of sub-histograms; random bytes have a change at almost every byte, where
   an answer made for runs takes its other path. */
#include "kernel.h"

void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256]);

#ifdef KERNEL_STUB

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)in1;
	(void)ret;
	byte_histogram(in0, arg[0].u64, out);
}

#else

#include "bulk_random.h"
#include <stdio.h>

enum kind { RUNS, RANDOM, EQUAL, PAIR, LONG_RUNS };
static const char *const kind_note[] = {
	[RUNS] = "runs of 1 to 64 equal bytes",
	[RANDOM] = "random bytes",
	[EQUAL] = "all bytes equal",
	[PAIR] = "two values taking turns",
	[LONG_RUNS] = "runs of up to 100,000 equal bytes",
};

static const size_t sizes[] = {KERNEL_TEST_SIZES, 65537, 100003};
enum { SIZES = sizeof sizes / sizeof sizes[0], SMALL_KINDS = 4, SMALL_TESTS = SIZES * SMALL_KINDS, VALUES = 256 };

static void shape(size_t n, enum kind kind, struct kernel_case *c)
{
	c->in_bytes[0] = n;
	c->out_bytes = c->want_bytes = VALUES * sizeof(uint64_t);
	c->arg[0].u64 = n;
	c->units = (double)n;
	c->kind = kind;
	snprintf(c->note, sizeof c->note, "n = %zu, %s", n, kind_note[kind]);
}

static void shape_test(size_t index, struct kernel_case *c)
{
	if (index < SMALL_TESTS)
		shape(sizes[index / SMALL_KINDS], (enum kind)(index % SMALL_KINDS), c);
	else
		shape(1000003, LONG_RUNS, c);
}

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	switch (variant) {
	case 0: shape(size, RUNS, c); break;
	case 1: shape(size, EQUAL, c); break;
	case 2: shape(size - size / 64 % 32 - 21, RANDOM, c); break; /* a large size that is no multiple of anything */
	default: shape(size - size / 64 % 32 - 13, RUNS, c); break;
	}
}

/* Runs of 1 to 64 bytes, neighbours different.  A run is written as 64 bytes at once; the next overwrites what is too much. */
static void fill_runs(unsigned char *data, size_t n, uint64_t *counts)
{
	enum { LONGEST = 64, BITS = 16 };
	uint8_t value = (uint8_t)kernel_random();
	uint64_t bits = 0;
	for (size_t at = 0, draw = 0; at < n; draw++) {
		bits = draw % (64 / BITS) ? bits >> BITS : kernel_random();
		const size_t left = n - at, run = 1 + (bits & 63), length = run < left ? run : left;
		value = (uint8_t)(value + 1 + ((bits >> 8 & 255) * 255 >> 8));
		memset(data + at, value, left < LONGEST ? left : LONGEST);
		counts[value] += length;
		at += length;
	}
}

static void fill_long_runs(unsigned char *data, size_t n, uint64_t *counts)
{
	for (size_t at = 0; at < n;) {
		const size_t left = n - at, run = 1 + kernel_random_below(100000), length = run < left ? run : left;
		const uint8_t value = (uint8_t)kernel_random();
		memset(data + at, value, length);
		counts[value] += length;
		at += length;
	}
}

static void fill_random(unsigned char *data, size_t n, uint64_t *counts)
{
	struct bulk_random generator;
	bulk_seed(&generator);
	bulk_bytes(&generator, data, n);
	for (size_t i = 0; i < n; i++)
		counts[data[i]]++;
}

static void fill(struct kernel_case *c)
{
	unsigned char *data = c->in[0];
	const size_t n = c->arg[0].u64;
	uint64_t *counts = (uint64_t *)c->want;
	memset(counts, 0, VALUES * sizeof *counts);
	const uint8_t value = (uint8_t)kernel_random();
	switch ((enum kind)c->kind) {
	case RUNS: fill_runs(data, n, counts); break;
	case RANDOM: fill_random(data, n, counts); break;
	case EQUAL:
		memset(data, value, n);
		counts[value] = n;
		break;
	case PAIR:
		for (size_t i = 0; i < n; i++)
			data[i] = i % 2 ? (uint8_t)~value : value;
		counts[value] = n - n / 2;
		counts[(uint8_t)~value] = n / 2;
		break;
	case LONG_RUNS: fill_long_runs(data, n, counts); break;
	}
}

static bool check(const struct kernel_case *c, const unsigned char *out, union kernel_word ret, char *why, size_t why_size)
{
	(void)ret;
	const uint64_t *got = (const uint64_t *)out, *want = (const uint64_t *)c->want;
	for (size_t value = 0; value < VALUES; value++)
		if (got[value] != want[value]) {
			snprintf(why, why_size, "the count of byte %zu is %llu, expected %llu", value, (unsigned long long)got[value], (unsigned long long)want[value]);
			return false;
		}
	return true;
}

const struct kernel kernel = {
	.name = "byte_histogram",
	.in_align = {1},
	.out_align = sizeof(uint64_t),
	.tests = SMALL_TESTS + 1,
	.extra_checks = 3,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.check = check,
};

#endif
