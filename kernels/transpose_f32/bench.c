/* transpose_f32: all values of a case are compared by their bits, tile by tile, against the input where it lies. */
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
#include <stdio.h>

/* Every small pair of sides around a vector's and a tile's width, both ways round; then long, thin and large ones. */
static const size_t sides[] = {0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 33};
static const size_t shapes[][2] = {
	{31, 31}, {32, 32}, {63, 65}, {64, 64}, {65, 63}, {64, 127}, {100, 48}, {48, 100}, {127, 129}, {1, 4097}, {4097, 1}, {3, 1023},
	{1023, 3}, {16, 1000}, {1000, 16}, {17, 1000}, {1000, 17}, {255, 257}, {512, 256}, {256, 520}, {300, 700}, {700, 300},
};
enum { SIDES = sizeof sides / sizeof sides[0], PAIRS = SIDES * SIDES, SHAPES = sizeof shapes / sizeof shapes[0] };

static void shape(size_t rows, size_t cols, struct kernel_case *c)
{
	c->in_bytes[0] = c->out_bytes = rows * cols * sizeof(float);
	c->arg[0].u64 = rows;
	c->arg[1].u64 = cols;
	c->units = (double)rows * (double)cols;
	snprintf(c->note, sizeof c->note, "rows = %zu, cols = %zu", rows, cols);
}

static void shape_test(size_t index, struct kernel_case *c)
{
	if (index < PAIRS)
		shape(sides[index / SIDES], sides[index % SIDES], c);
	else
		shape(shapes[index - PAIRS][0], shapes[index - PAIRS][1], c);
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
	bulk_floats(&generator, c->in[0], c->in_bytes[0] / sizeof(float));
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
				float got, want;
				memcpy(&got, &out[k * rows + r], sizeof got);
				memcpy(&want, &in[r * cols + k], sizeof want);
				snprintf(why, why_size,
					 "row %zu, column %zu of out is %.9g, expected row %zu, column %zu of in: %.9g",
					 k, r, (double)got, r, k, (double)want);
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
	.in_align = {sizeof(float)},
	.out_align = sizeof(float),
	.tests = PAIRS + SHAPES,
	.extra_checks = 2,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.check = check,
};

#endif
