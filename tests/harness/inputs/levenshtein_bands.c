/* usage: levenshtein_bands SIZE CALLS    How often a band of so many thousandths of the length, to either side of the diagonal, is wrong for the timed
   pairs: one line, the width and the share; at last the smallest distance, in thousandths of the length. */
#include <stdio.h>
#include <string.h>

#include "case.h"

static const unsigned widths[] = { 43, 100, 200, 333, 450 };
enum { WIDTHS = sizeof widths / sizeof *widths, FAR = 1 << 28 };

static unsigned least(unsigned x, unsigned y) { return x < y ? x : y; }

static unsigned in_band(const unsigned char *a, const unsigned char *b, size_t n, size_t width)
{
	unsigned *row = malloc((n + 2) * sizeof *row);
	for (size_t j = 0; j <= n; j++) row[j] = j <= width ? (unsigned)j : FAR;
	for (size_t i = 1; i <= n; i++) {
		size_t from = i > width ? i - width : 0, to = i + width < n ? i + width : n;
		unsigned corner = from ? row[from - 1] : 0, left = FAR;
		for (size_t j = from; j <= to; j++) {
			unsigned up = row[j], best = least(up, left) + 1;
			if (j > 0) best = least(best, corner + (a[i - 1] != b[j - 1]));
			corner = up;
			row[j] = left = best;
		}
	}
	unsigned distance = row[n];
	free(row);
	return distance;
}

int main(int argc, char **argv)
{
	if (argc != 3) return 2;
	const size_t size = strtoul(argv[1], NULL, 10);
	const int calls = atoi(argv[2]);
	unsigned smallest = FAR;
	int wrong[WIDTHS] = { 0 };
	random_seed();
	for (int call = 0; call < calls; call++) {
		struct kernel_case c = timed_case(size);
		for (size_t k = 0; k < WIDTHS; k++) wrong[k] += in_band(c.in[0], c.in[1], size, size * widths[k] / 1000) != c.want_value.u32;
		smallest = least(smallest, c.want_value.u32);
		free_case(&c);
	}
	for (size_t k = 0; k < WIDTHS; k++) printf("%u\t%.3f\n", widths[k], (double)wrong[k] / calls);
	printf("distance\t%zu\n", 1000 * smallest / size);
	return 0;
}
