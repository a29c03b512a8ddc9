/* count_primes: the arguments of the tests and of the benchmark; a sieve made once answers all of them.

   What the benchmark's arguments have that others lack, and what is done about it:
   - They lie in [0.9 size, size]: small tests are drawn from all of the range, from every octave as many as cost about the same time, each half of an
     octave certainly, so that no part of it can be right by chance or be left out.
   - They are random numbers, hardly ever special ones: squares of primes and their predecessors, products of neighbouring primes, borders of segments
     and wheels, and round numbers are drawn from all of the range, too; all numbers up to 130, all residues modulo 1024 above that, and again above 4096.
   - All of them are near one another, so that a table of results would do: what an answer brings along is for a person to see (the record gives the
     size of its data). */
#include "kernel.h"

#ifdef KERNEL_STUB

uint64_t count_primes(uint64_t n);

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)in0, (void)in1, (void)out;
	ret->u64 = count_primes(arg[0].u64);
}

#else

#include "sizes.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bit i of the table is set if 2 i + 1 is an odd prime.  It is made at the first question, for all that can be asked. */
enum { SEGMENT_BYTES = 32768, SEGMENT_BITS = SEGMENT_BYTES * 8 };
static uint64_t *odd_primes;
static uint64_t table_end; /* numbers below this are in the table */

static void sieve_segment(uint64_t first_bit, uint8_t *segment)
{
	memset(segment, 0xff, SEGMENT_BYTES);
	uint64_t end = 2 * (first_bit + SEGMENT_BITS);
	for (uint64_t p = 3; p * p < end; p += 2) {
		if (first_bit > 0 && !(odd_primes[p / 128] >> (p / 2 % 64) & 1))
			continue;
		if (first_bit == 0 && !(segment[p / 16] >> (p / 2 % 8) & 1))
			continue;
		uint64_t bit = p * p / 2;
		if (bit < first_bit)
			bit += (first_bit - bit + p - 1) / p * p;
		for (bit -= first_bit; bit < SEGMENT_BITS; bit += p)
			segment[bit / 8] &= (uint8_t)~(1u << (bit % 8));
	}
	if (first_bit == 0)
		segment[0] &= 0xfe; /* 1 is no prime */
}

/* The largest prime needed is the root of 2^32 at most: it lies in the first segment, which ends at 524288. */
static void make_table(uint64_t largest)
{
	if (largest < table_end)
		return;
	uint64_t segments = largest / 2 / SEGMENT_BITS + 1;
	free(odd_primes);
	odd_primes = malloc(segments * SEGMENT_BYTES);
	if (!odd_primes)
		abort();
	for (uint64_t s = 0; s < segments; s++)
		sieve_segment(s * SEGMENT_BITS, (uint8_t *)odd_primes + s * SEGMENT_BYTES);
	table_end = 2 * segments * SEGMENT_BITS;
}

static uint64_t primes_up_to(uint64_t n)
{
	if (n < 2)
		return 0;
	make_table(n);
	uint64_t bits = (n + 1) / 2, count = 1; /* 2 */
	for (uint64_t w = 0; w < bits / 64; w++)
		count += (uint64_t)__builtin_popcountll(odd_primes[w]);
	if (bits % 64)
		count += (uint64_t)__builtin_popcountll(odd_primes[bits / 64] << (64 - bits % 64));
	return count;
}

static bool is_prime(uint64_t n)
{
	return n == 2 || (n > 2 && n % 2 && odd_primes[n / 128] >> (n / 2 % 64) & 1);
}

static uint64_t prime_below(uint64_t n)
{
	while (n > 2 && !is_prime(n))
		n--;
	return n;
}

/* Where sieves go wrong; each is tested with both neighbours. */
static const uint32_t CENTRES[] = {
	/* squares of primes: the first number only that prime removes */
	11 * 11, 13 * 13, 17 * 17, 19 * 19, 23 * 23, 29 * 29, 31 * 31, 37 * 37, 61 * 61, 97 * 97, 127 * 127, 181 * 181, 251 * 251, 257 * 257,
	367 * 367, 509 * 509, 521 * 521, 719 * 719, 991 * 991, 1009 * 1009, 1021 * 1021,
	/* other powers of primes */
	243, 343, 625, 729, 1331, 2187, 2197, 2401, 3125, 6561, 15625, 16807, 19683, 59049, 117649, 161051, 177147, 371293, 531441, 823543,
	/* products of two neighbouring primes, and of the first primes, which wheels and pre-sieved patterns repeat with */
	7 * 11, 101 * 103, 311 * 313, 857 * 859, 210, 2310, 30030, 510510, 17017, 323323,
	/* powers of two and of ten, and bytes of segments times 2, 8, 16 and 30 */
	256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1000, 10000, 100000, 1000000, 30 * 4096, 30 * 8192, 30 * 16384,
	30 * 32768,
};
static void set_n(struct kernel_case *c, uint64_t n)
{
	c->arg[0].u64 = n;
	c->units = (double)n;
	snprintf(c->note, sizeof c->note, "n = %" PRIu64, n);
}

/* ---------- the small tests of one grading ---------- */
enum {
	CENTRE_COUNT = sizeof CENTRES / sizeof *CENTRES,
	MODULUS = 1024,
	FIRST_OCTAVE = 14, /* sizes_small() goes up to there */
	OCTAVE_TESTS_MOST = 40,
	OCTAVE_COST = 18000000, /* candidates: an answer as slow as the reference takes 5 ns for each */
};
static struct sizes_tests tests;

static uint64_t near_prime_square(uint64_t n)
{
	const uint64_t p = prime_below((uint64_t)sqrt((double)n));
	return p * p - kernel_random_below(2);
}

static uint64_t near_prime_product(uint64_t n)
{
	const uint64_t p = prime_below((uint64_t)sqrt((double)n));
	return p * prime_below(p - 1) - kernel_random_below(2);
}

/* An odd multiple of 500: of 5, 50, ... as well. */
static uint64_t near_round_number(uint64_t n)
{
	return n / 1000 * 1000 + 500;
}

static uint64_t near_rounder_number(uint64_t n)
{
	uint64_t unit = kernel_random_below(2) ? 1000 : 10000;
	while (unit * 10 < n && kernel_random_below(2))
		unit *= 10;
	return n / unit * unit - kernel_random_below(2);
}

/* Bytes, words or bits of a segment, with a number for each bit, for the odd ones, or for those that 2, 3 and 5 leave. */
static uint64_t near_segment_border(uint64_t n)
{
	static const uint64_t WHEELS[] = {1, 2, 3, 6, 15, 30, 210};
	const uint64_t unit = WHEELS[kernel_random_below(sizeof WHEELS / sizeof *WHEELS)] << (10 + kernel_random_below(8));
	return n < unit ? n : n / unit * unit + kernel_random_below(3) - 1;
}

static uint64_t as_it_is(uint64_t n)
{
	return n;
}

static uint64_t (*const SPECIAL[])(uint64_t) = {near_round_number, as_it_is, near_prime_square, near_prime_product, near_rounder_number, near_segment_border};
enum { SPECIAL_COUNT = sizeof SPECIAL / sizeof *SPECIAL };

/* From the octave that begins with 2^k: one from each of the two quarters that every range of half an octave holds one of, except where the benchmark's
   are in all such ranges; then special ones in turn. */
static void plan_octave(unsigned k, size_t most)
{
	static struct sizes certain;
	static unsigned turn;
	const uint64_t low = UINT64_C(1) << k, high = 2 * low <= most ? 2 * low : most + 1, usual = low + (high - low) / 2;
	certain.count = 0;
	for (unsigned quarter = 1; quarter < 3; quarter++)
		if (exp2(k + quarter / 4.0) < 0.9 * (double)most)
			sizes_quarter(&certain, k, quarter, low, most);
	for (size_t i = 0; i < certain.count; i++)
		sizes_test(&tests, certain.size[i], 0, 0);
	for (uint64_t i = 1; i <= OCTAVE_TESTS_MOST && i * usual <= OCTAVE_COST; i++) {
		const uint64_t n = SPECIAL[turn++ % SPECIAL_COUNT](low + kernel_random_below(high - low));
		sizes_test(&tests, n < most ? n : most, 0, 0);
	}
}

static size_t plan(size_t size)
{
	static struct sizes small;
	make_table(size + 1);
	tests.count = 0;
	sizes_small(&small, MODULUS, 1, size);
	for (size_t i = 0; i < small.count; i++)
		sizes_test(&tests, small.size[i], 0, 0);
	for (size_t i = 0; i < 3 * CENTRE_COUNT; i++)
		sizes_test(&tests, CENTRES[i / 3] + i % 3 - 1, 0, 0);
	small.count = 0;
	sizes_powers(&small, SIZES_LARGE, size, size + 1);
	sizes_add(&small, size - 1);
	sizes_add(&small, size + 1);
	sizes_sort(&small);
	for (size_t i = 0; i < small.count; i++)
		sizes_test(&tests, small.size[i], 0, 0);
	for (unsigned k = FIRST_OCTAVE; (size_t)1 << k <= size; k++)
		plan_octave(k, size);
	return tests.count;
}

static void shape_test(size_t index, struct kernel_case *c)
{
	set_n(c, tests.test[index].n);
}

/* the largest square of a prime that is at most size */
static uint64_t prime_square(uint64_t size)
{
	uint64_t p = 2;
	for (uint64_t q = 3; q * q <= size; q += 2)
		if (primes_up_to(q) > primes_up_to(q - 1))
			p = q;
	return p * p;
}

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	make_table(size);
	if (variant == 0)
		set_n(c, size - kernel_random_below(size / 10 + 1));
	else if (variant == 1)
		set_n(c, size);
	else
		set_n(c, prime_square(size));
}

static void fill(struct kernel_case *c)
{
	c->want_value.u64 = primes_up_to(c->arg[0].u64);
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
	.name = "count_primes",
	.args = {{"n", KERNEL_U64}},
	.plan = plan,
	.extra_checks = 2,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.check = check,
};

#endif
