/* byte_histogram: the generator lays runs of equal bytes and counts them as it goes, so the expectation never looks at the bytes.

   Long runs and a whole input of one byte overflow the narrow counters of sub-histograms; random bytes have a change at almost every byte, where
   an answer made for runs takes its other path.

   What the benchmark's bytes have that others lack, and what is done about it:
   - They are in runs of 1 to 64.  To look for where a run ends is what is wanted.  To take for granted that it ends after 64 bytes, or that two values do
     not take turns, is wrong: a thousand stretches of other kinds (longer runs, up to 70,000 bytes, random bytes, two values taking turns) lie
     between them in every call, half a per cent of the data.
   - To look at every second byte, and at those between where two differ, is wrong a hundred times in a call: where a run of one byte lies between two of
     one value.
   - All values are equally frequent, a quarter of a million each, so that counters of 20 bits would do: a check has one value only.
   - The number of bytes is fixed: checks have others, and random bytes. */
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
#include "sizes.h"
#include <stdio.h>

enum kind { RUNS, RANDOM, EQUAL, PAIR, LONG_RUNS, RUNS_AND_OTHERS };
static const char *const kind_note[] = {
	[RUNS] = "runs of 1 to 64 equal bytes",
	[RUNS_AND_OTHERS] = "runs of 1 to 64 equal bytes, stretches of other kinds",
	[RANDOM] = "random bytes",
	[EQUAL] = "all bytes equal",
	[PAIR] = "two values taking turns",
	[LONG_RUNS] = "runs of up to 100,000 equal bytes",
};

static struct sizes_tests tests;
enum { SMALL_KINDS = 4, VALUES = 256 };

static void shape(size_t n, enum kind kind, struct kernel_case *c)
{
	c->in_bytes[0] = n;
	c->out_bytes = c->want_bytes = VALUES * sizeof(uint64_t);
	c->arg[0].u64 = n;
	c->units = (double)n;
	c->kind = kind;
	c->content = kind_note[kind];
	snprintf(c->note, sizeof c->note, "n = %zu, %s", n, kind_note[kind]);
}

static size_t plan(size_t size)
{
	const struct sizes_recipe recipe = {
		.kinds = SMALL_KINDS, .telling = {2, .kind = {RANDOM, RUNS}}, .dense = SMALL_KINDS, .sparse_one_in = 4,
		.shared_kind = RUNS, .modulus = 1024, .spread = 4,
	};
	sizes_plan(&tests, &recipe, size);
	sizes_test(&tests, 1000000 + kernel_random_below(100000), 0, LONG_RUNS);
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
	switch (variant) {
	case 0: shape(size, RUNS_AND_OTHERS, c); break;
	case 1: shape(size, EQUAL, c); break;
	case 2: shape(size - size / 64 % 32 - 21, RANDOM, c); break; /* a large size that is no multiple of anything */
	default: shape(size - size / 64 % 32 - 13, RUNS_AND_OTHERS, c); break;
	}
}

/* Something else than short runs, at most `most` bytes; returns how many. */
static size_t fill_stretch(unsigned char *data, size_t most, uint64_t *counts)
{
	const uint64_t draw = kernel_random_below(64);
	const size_t length = draw == 0 ? 1 + kernel_random_below(70000) : 65 + kernel_random_below(400), size = length < most ? length : most;
	const uint8_t value = (uint8_t)kernel_random(), other = draw < 24 ? value : (uint8_t)kernel_random();
	for (size_t i = 0; i < size; i++) {
		data[i] = draw >= 44 ? (uint8_t)kernel_random() : i % 2 ? other : value;
		counts[data[i]]++;
	}
	return size;
}

/* Runs of 1 to 64 bytes, neighbours different.  A run is written as 64 bytes at once; the next overwrites what is too much. */
static void fill_runs(unsigned char *data, size_t n, uint64_t *counts, bool others)
{
	enum { LONGEST = 64, BITS = 16, APART = 1 << 17 };
	size_t next_other = others ? kernel_random_below(APART) : n;
	uint8_t value = (uint8_t)kernel_random();
	uint64_t bits = 0;
	for (size_t at = 0, draw = 0; at < n; draw++) {
		bits = draw % (64 / BITS) ? bits >> BITS : kernel_random();
		const size_t left = n - at, run = 1 + (bits & 63), length = run < left ? run : left;
		value = (uint8_t)(value + 1 + ((bits >> 8 & 255) * 255 >> 8));
		memset(data + at, value, left < LONGEST ? left : LONGEST);
		counts[value] += length;
		at += length;
		if (at >= next_other && at < n) {
			at += fill_stretch(data + at, n - at, counts);
			next_other = at + kernel_random_below(APART);
		}
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
	case RUNS: fill_runs(data, n, counts, false); break;
	case RUNS_AND_OTHERS: fill_runs(data, n, counts, true); break;
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

static void expect(struct kernel_case *c, size_t done)
{
	const unsigned char *data = c->in[0];
	uint64_t *counts = (uint64_t *)c->want;
	if (done == 0)
		memset(counts, 0, VALUES * sizeof *counts);
	/* runs of one value: each of four counters waits for its own only */
	uint64_t part[4][VALUES] = {{0}};
	size_t i = done;
	for (; i + 4 <= c->arg[0].u64; i += 4)
		for (size_t lane = 0; lane < 4; lane++)
			part[lane][data[i + lane]]++;
	for (; i < c->arg[0].u64; i++)
		counts[data[i]]++;
	for (size_t value = 0; value < VALUES; value++)
		counts[value] += part[0][value] + part[1][value] + part[2][value] + part[3][value];
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
	.args = {{"n", KERNEL_U64}},
	.in_align = {1},
	.out_align = sizeof(uint64_t),
	.plan = plan,
	.extra_checks = 3,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.expect = expect,
	.check = check,
};

#endif
