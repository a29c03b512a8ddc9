/* usage: dot_orders SIZE CALLS    How often each way to add up dot_f32's timed inputs is wrong: one line, name and share. */
#include <math.h>
#include <stdio.h>

#include "case.h"

enum { SUMS_MAX = 256 };
static size_t sums;

static float side_by_side(const float *a, const float *b, size_t n)
{
	float s[SUMS_MAX] = { 0 }, t = 0;
	size_t i = 0;
	for (; i + sums <= n; i += sums)
		for (size_t k = 0; k < sums; k++) s[k] += a[i + k] * b[i + k];
	for (; i < n; i++) t += a[i] * b[i];
	for (size_t k = 0; k < sums; k++) t += s[k];
	return t;
}
static float backwards(const float *a, const float *b, size_t n)
{
	float t = 0;
	while (n-- > 0) t = fmaf(a[n], b[n], t);
	return t;
}
static float in_pairs(const float *a, const float *b, size_t n)
{
	if (n <= 8) return sums = 1, side_by_side(a, b, n);
	return in_pairs(a, b, n / 2) + in_pairs(a + n / 2, b + n / 2, n - n / 2);
}
static float four_streams(const float *a, const float *b, size_t n)
{
	size_t q = n / 4;
	sums = 16;
	return side_by_side(a, b, q) + side_by_side(a + q, b + q, q) + side_by_side(a + 2 * q, b + 2 * q, q) + side_by_side(a + 3 * q, b + 3 * q, n - 3 * q);
}
static float blocks(const float *a, const float *b, size_t n)
{
	float t = 0;
	for (size_t i = 0; i < n; i += 1000) sums = 1, t += side_by_side(a + i, b + i, n - i < 1000 ? n - i : 1000);
	return t;
}
static float twelve_bits(const float *a, const float *b, size_t n)
{
	double t = 0;
	for (size_t i = 0; i < n; i++) t += rint(a[i] * 2048.) * rint(b[i] * 2048.);
	return (float)(t / (2048. * 2048.));
}
static float one_dropped(const float *a, const float *b, size_t n)
{
	double t = 0;
	for (size_t i = 1; i < n; i++) t += (double)a[i] * b[i];
	return (float)t;
}
static float sixty_dropped(const float *a, const float *b, size_t n)
{
	double t = 0;
	for (size_t i = 0; i + 60 < n; i++) t += (double)a[i] * b[i];
	return (float)t;
}

static const struct { const char *name; float (*sum)(const float *, const float *, size_t); size_t sums; } ways[] = {
	{ "1 sum", side_by_side, 1 }, { "2 sums", side_by_side, 2 }, { "3 sums", side_by_side, 3 }, { "5 sums", side_by_side, 5 }, { "8 sums", side_by_side, 8 },
	{ "11 sums", side_by_side, 11 }, { "13 sums", side_by_side, 13 }, { "16 sums", side_by_side, 16 }, { "64 sums", side_by_side, 64 },
	{ "176 sums", side_by_side, 176 }, { "backwards", backwards, 0 }, { "pairs", in_pairs, 0 }, { "streams", four_streams, 0 }, { "blocks", blocks, 0 },
	{ "wrong: 12 bits", twelve_bits, 0 }, { "wrong: 1 dropped", one_dropped, 0 }, { "wrong: 60 dropped", sixty_dropped, 0 },
};
enum { WAYS = sizeof ways / sizeof *ways };

int main(int argc, char **argv)
{
	if (argc != 3) return 2;
	const int calls = atoi(argv[2]);
	int wrong[WAYS] = { 0 };
	random_seed();
	for (int call = 0; call < calls; call++) {
		struct kernel_case c = timed_case(strtoul(argv[1], NULL, 10));
		for (size_t way = 0; way < WAYS; way++) {
			char why[256];
			sums = ways[way].sums;
			union kernel_word result = { .f32 = ways[way].sum((const float *)c.in[0], (const float *)c.in[1], c.arg[0].u64) };
			wrong[way] += !kernel.check(&c, NULL, result, why, sizeof why);
		}
		free_case(&c);
	}
	for (size_t way = 0; way < WAYS; way++) printf("%s\t%.3f\n", ways[way].name, (double)wrong[way] / calls);
	return 0;
}
