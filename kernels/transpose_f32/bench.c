/* transpose_f32: all values of a case are compared by their bits, tile by tile, against the input where it lies.

   What the benchmark's values have that others lack, and what is done about it:
   - Numbers of 25 bits in [-1, 1) would survive arithmetic, a detour through integers, and flushing of the smallest ones to 0: values are 32 random bits,
     NaNs and subnormal numbers among them, in all cases.
   - Rows and columns are equal and a power of two: checks at that size have sides that are no multiple of anything, and eight times as many columns as rows. */
#include "kernel.h"

void transpose_f32(const float *in, float *out, size_t rows, size_t cols);

#ifdef KERNEL_STUB

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)in1;
	(void)ret;
	transpose_f32(in0, out, arg[0].u64, arg[1].u64);
}

#else

#include "bulk_random.h"
#include "sizes.h"
#include <stdio.h>

enum { RESIDUES = 16, LONGEST = 1 << 20 };
static struct sizes_tests tests;

static void shape(size_t rows, size_t cols, struct kernel_case *c)
{
	c->in_bytes[0] = c->out_bytes = rows * cols * sizeof(float);
	c->arg[0].u64 = rows;
	c->arg[1].u64 = cols;
	c->units = (double)rows * (double)cols;
	c->content = "values in [-1, 1)";
	snprintf(c->note, sizeof c->note, "rows = %zu, cols = %zu", rows, cols);
}

/* One of the sides is `side`, the other one small, both ways round. */
static void both_ways(size_t side, size_t other, bool guarded)
{
	sizes_test(&tests, side, other, 0)->guarded = guarded;
	sizes_test(&tests, other, side, 0)->guarded = guarded;
}

/* Squares and other small shapes of every side; every pair of residues modulo 16; every side of the larger ones, thin, so that they are cheap; then
   long and thin ones of every magnitude, and some that are large both ways. */
static size_t plan(size_t size)
{
	static struct sizes sides, others;
	tests.count = others.count = 0;
	sizes_run(&others, 0, SIZES_DENSE);
	sizes_shuffle(&others);
	for (size_t side = 0; side <= SIZES_DENSE; side++) {
		sizes_test(&tests, side, side, 0)->guarded = true;
		both_ways(side, others.size[side], true);
	}
	for (size_t i = 0; i < RESIDUES * RESIDUES; i++) {
		const size_t row = kernel_random_below(4), col = kernel_random_below(4);
		sizes_test(&tests, i / RESIDUES + RESIDUES * row, i % RESIDUES + RESIDUES * col, 0);
	}
	sizes_small(&sides, 64, 4, 2 * size);
	for (size_t i = 0; i < sides.count; i++)
		if (sides.size[i] > SIZES_DENSE)
			both_ways(sides.size[i], kernel_random_below(sides.size[i] > SIZES_HIGH ? 4 : 24), i % 4 == 0);
	sizes_large(&sides, LONGEST);
	for (size_t i = 0; i < sides.count; i++)
		if (i % 8 == 0)
			both_ways(sides.size[i], 1 + kernel_random_below(3), false);
	for (size_t i = 0; i < 8; i++)
		sizes_test(&tests, 131 + kernel_random_below(400), 131 + kernel_random_below(400), 0);
	for (size_t i = 0; i < 8; i++) { /* one side is a multiple of the other */
		const size_t times = (size_t[]){2, 3, 4, 8}[i / 2], side = 2 + kernel_random_below(40);
		both_ways(times * side, side, true);
	}
	for (size_t difference = 0; difference < 7; difference++) {
		const size_t rows = 140 + kernel_random_below(60);
		sizes_test(&tests, rows, rows + 3 - difference, 0);
	}
	return tests.count;
}

static void shape_test(size_t index, struct kernel_case *c)
{
	shape(tests.test[index].n, tests.test[index].m, c);
	c->guarded = tests.test[index].guarded;
}

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	switch (variant) {
	case 0: shape(size, size, c); break;
	case 1: shape(size - size / 64 % 8 - 3, size - 5, c); break; /* sides that are no multiple of anything */
	default: shape(size / 4, size * 2, c); break;
	}
}

static void fill(struct kernel_case *c)
{
	struct bulk_random generator;
	bulk_seed(&generator);
	bulk_bytes(&generator, c->in[0], c->in_bytes[0]);
}

enum { TILE = 16 };
typedef uint32_t bits __attribute__((vector_size(TILE * sizeof(uint32_t)), aligned(4), may_alias));

/* Are TILE x TILE elements from (row, col) on transposed in out? */
static bool tile_is_right(const uint32_t *in, const uint32_t *out, size_t rows, size_t cols, size_t row, size_t col)
{
	uint32_t turned[TILE][TILE];
	for (size_t r = 0; r < TILE; r++)
		for (size_t c = 0; c < TILE; c++)
			turned[c][r] = in[(row + r) * cols + col + c];
	bits difference = {0};
	for (size_t c = 0; c < TILE; c++)
		difference |= *(const bits *)turned[c] ^ *(const bits *)(out + (col + c) * rows + row);
	uint32_t all = 0;
	for (size_t lane = 0; lane < TILE; lane++)
		all |= difference[lane];
	return all == 0;
}

/* Rows and columns of the input; the ends are not part of it. */
struct part {
	size_t row, row_end, col, col_end;
};

/* Compare element by element; say where the first difference is. */
static bool part_is_right(const struct kernel_case *c, const uint32_t *out, struct part part, char *why, size_t why_size)
{
	const uint32_t *in = (const uint32_t *)c->in[0];
	const size_t rows = c->arg[0].u64, cols = c->arg[1].u64;
	for (size_t r = part.row; r < part.row_end; r++)
		for (size_t k = part.col; k < part.col_end; k++)
			if (out[k * rows + r] != in[r * cols + k]) {
				const uint32_t got = out[k * rows + r], want = in[r * cols + k];
				float got_value, want_value;
				memcpy(&got_value, &got, sizeof got_value);
				memcpy(&want_value, &want, sizeof want_value);
				snprintf(why, why_size,
					 "row %zu, column %zu of out is %.9g (bits 0x%08X), expected row %zu, column %zu of in: %.9g (bits 0x%08X)",
					 k, r, (double)got_value, got, r, k, (double)want_value, want);
				return false;
			}
	return true;
}

static bool check(const struct kernel_case *c, const unsigned char *result, union kernel_word ret, char *why, size_t why_size)
{
	(void)ret;
	const uint32_t *in = (const uint32_t *)c->in[0], *out = (const uint32_t *)result;
	const size_t rows = c->arg[0].u64, cols = c->arg[1].u64, whole_rows = rows - rows % TILE, whole_cols = cols - cols % TILE;
	for (size_t row = 0; row < whole_rows; row += TILE)
		for (size_t col = 0; col < whole_cols; col += TILE)
			if (!tile_is_right(in, out, rows, cols, row, col))
				return part_is_right(c, out, (struct part){row, row + TILE, col, col + TILE}, why, why_size);
	const struct part below = {whole_rows, rows, 0, cols}, beside = {0, whole_rows, whole_cols, cols};
	return part_is_right(c, out, below, why, why_size) && part_is_right(c, out, beside, why, why_size);
}

const struct kernel kernel = {
	.name = "transpose_f32",
	.args = {{"rows", KERNEL_U64}, {"cols", KERNEL_U64}},
	.in_align = {sizeof(float)},
	.out_align = sizeof(float),
	.plan = plan,
	.extra_checks = 2,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.check = check,
};

#endif
