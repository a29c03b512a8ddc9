/* What this machine can do at most on one core: reading and copying memory, and multiply-adds.
 *
 * Prints one JSON object: GB/s (10^9 bytes) read, GB/s read and written by a copy, GFLOP/s in single precision. Each is the best
 * of REPEATS short runs: disturbances only ever make one slower. Takes about a second.
 *
 * The arrays are far larger than a core's own caches; where the last level holds them whole, what is measured is that level,
 * which is where the kernels' arrays of 64 MiB lie too.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 15, MIB = 1 << 20, ARRAY = 64 * MIB, CHAINS = 12, STEPS = 1 << 18 };

#if defined(__AVX512F__)
enum { LANES = 16 };
#elif defined(__AVX__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef uint64_t words __attribute__((vector_size(32)));

static volatile uint64_t read_sink;
static volatile float fma_sink;

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void read_all(const words *from)
{
	words sum[8] = { 0 };
	for (size_t i = 0; i < ARRAY / sizeof(words); i += 8)
		for (size_t k = 0; k < 8; k++) sum[k] ^= from[i + k];
	for (size_t k = 1; k < 8; k++) sum[0] ^= sum[k];
	read_sink = sum[0][0] ^ sum[0][1] ^ sum[0][2] ^ sum[0][3];
}

/* Chains that do not wait for each other keep every multiplier busy; the factor keeps the values finite. */
static void multiply_add(float factor)
{
	lanes chain[CHAINS], by, plus;
	for (int l = 0; l < LANES; l++) by[l] = factor, plus[l] = 1.0f;
	for (int c = 0; c < CHAINS; c++) chain[c] = plus * (float)c;
	for (int step = 0; step < STEPS; step++) {
#pragma GCC unroll 12
		for (int c = 0; c < CHAINS; c++) chain[c] = chain[c] * by + plus;
	}
	for (int c = 1; c < CHAINS; c++) chain[0] += chain[c];
	fma_sink = chain[0][0];
}

static double least(double a, double b) { return a < b ? a : b; }

int main(void)
{
	char *from = aligned_alloc(64, ARRAY), *to = aligned_alloc(64, ARRAY);
	if (!from || !to) {
		fprintf(stderr, "microbench: no memory\n");
		return 1;
	}
	memset(from, 1, ARRAY);
	memset(to, 2, ARRAY);
	double read_s = 1e9, copy_s = 1e9, fma_s = 1e9;
	for (int i = 0; i < REPEATS; i++) {
		double t0 = now_s();
		read_all((const words *)from);
		double t1 = now_s();
		memcpy(to, from, ARRAY);
		double t2 = now_s();
		multiply_add(0.5f + 0.01f * (float)i);
		double t3 = now_s();
		from[i] = to[ARRAY - 1 - i]; /* so that no copy is left out as without use */
		read_s = least(read_s, t1 - t0), copy_s = least(copy_s, t2 - t1), fma_s = least(fma_s, t3 - t2);
	}
	printf("{\"read_bandwidth\": %.4f, \"copy_bandwidth\": %.4f, \"fma_f32\": %.4f}\n", 1e-9 * ARRAY / read_s,
	    1e-9 * 2 * ARRAY / copy_s, 1e-9 * 2 * LANES * CHAINS * (double)STEPS / fma_s);
	return 0;
}
