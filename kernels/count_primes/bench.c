/* count_primes: the arguments of the tests and of the benchmark; a sieve made once answers all of them. */
#include "kernel.h"

#ifdef KERNEL_STUB

uint64_t count_primes(uint64_t n);

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)in0, (void)in1, (void)out;
	ret->u64 = count_primes(arg[0].u64);
}

#else

#include <inttypes.h>
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

/* All small n, then the neighbourhoods of where sieves go wrong. */
enum { SMALL = 128 };
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
/* Few of the large ones: an answer as slow as the reference takes 5 ns for each candidate. */
static const uint32_t LARGE[] = {1u << 20, 1u << 21, 30 * 65536, 1u << 22, 30 * 131072, 2039 * 2039, 2801 * 2803, 1u << 23};
enum { CENTRE_TESTS = 3 * sizeof CENTRES / sizeof *CENTRES, LARGE_TESTS = 3 * sizeof LARGE / sizeof *LARGE, RANDOM_TESTS = 24 };

static void set_n(struct kernel_case *c, uint64_t n)
{
	c->arg[0].u64 = n;
	c->units = (double)n;
	snprintf(c->note, sizeof c->note, "n = %" PRIu64, n);
}

static void shape_test(size_t index, struct kernel_case *c)
{
	uint64_t n;
	if (index < SMALL)
		n = index;
	else if ((index -= SMALL) < CENTRE_TESTS)
		n = CENTRES[index / 3] + index % 3 - 1;
	else if ((index -= CENTRE_TESTS) < RANDOM_TESTS)
		n = kernel_random_below(1000000);
	else
		n = LARGE[(index - RANDOM_TESTS) / 3] + (index - RANDOM_TESTS) % 3 - 1;
	set_n(c, n);
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
	.tests = SMALL + CENTRE_TESTS + RANDOM_TESTS + LARGE_TESTS,
	.extra_checks = 2,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.check = check,
};

#endif
