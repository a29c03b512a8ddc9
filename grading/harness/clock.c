/* Clocks, the median, and random numbers (xoshiro256**, Blackman and Vigna 2018, seeded by getrandom). */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "judge.h"

static double read_clock(clockid_t id)
{
	struct timespec t = { 0 };
	clock_gettime(id, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}
double wall_ns(void) { return read_clock(CLOCK_MONOTONIC_RAW); }
double own_cpu_ns(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

static int ascending(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return (a > b) - (a < b);
}
/* of n <= 4 * ROUNDS_MAX values */
double median(const double *v, int n)
{
	double w[4 * ROUNDS_MAX];
	if (n == 0) return 0;
	memcpy(w, v, n * sizeof *w);
	qsort(w, n, sizeof *w, ascending);
	return n & 1 ? w[n / 2] : (w[n / 2 - 1] + w[n / 2]) / 2;
}

static uint64_t s[4];
void random_seed(void)
{
	if (getrandom(s, sizeof s, 0) != sizeof s) fault("getrandom");
}
/* SplitMix64 (Steele, Lea, Flood 2014), as the generator's authors advise */
void random_seed_known(uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		uint64_t z = seed += 0x9e3779b97f4a7c15;
		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
		z = (z ^ z >> 27) * 0x94d049bb133111eb;
		s[i] = z ^ z >> 31;
	}
}
static uint64_t rotl(uint64_t x, int k) { return x << k | x >> (64 - k); }
uint64_t kernel_random(void)
{
	uint64_t r = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;
	s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return r;
}
/* by multiplication (Lemire 2019), with rejection: exactly uniform */
uint64_t kernel_random_below(uint64_t bound)
{
	unsigned __int128 m = (unsigned __int128)kernel_random() * bound;
	if ((uint64_t)m < bound)
		for (uint64_t low = -bound % bound; (uint64_t)m < low;) m = (unsigned __int128)kernel_random() * bound;
	return m >> 64;
}
double kernel_random_unit(void) { return (kernel_random() >> 11) * 0x1p-53; }
