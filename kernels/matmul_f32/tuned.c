/* Register tiles of ROWS by two vectors over packed panels of b (two vectors wide, DEPTH deep), each in the cache while all of a passes by.
   A vector is as wide as the machine's registers, which gcc tells by its largest useful alignment. */
enum { LANES = __BIGGEST_ALIGNMENT__ / sizeof(float), WIDTH = 2 * LANES, DEPTH = 384 };
enum { ROWS = __BIGGEST_ALIGNMENT__ == 32 ? 6 : 8 }; /* 256-bit vectors come with 16 registers, the others with 32 */
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef float unaligned_lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

/* columns <= WIDTH of b from row 0 to depth, padded with zeros */
static void pack(lanes (*panel)[2], const float *b, size_t n, size_t depth, size_t columns)
{
	for (size_t k = 0; k < depth; k++) {
		if (columns == WIDTH) {
			panel[k][0] = *(const unaligned_lanes *)(b + k * n);
			panel[k][1] = *(const unaligned_lanes *)(b + k * n + LANES);
		} else {
			memset(panel[k], 0, sizeof panel[k]);
			memcpy(panel[k], b + k * n, columns * sizeof *b);
		}
	}
}

/* c[rows][columns] = or += a[rows][depth] panel; inlined once for every number of rows */
static inline __attribute__((always_inline)) void tile(size_t rows, const float *a, const lanes (*panel)[2], float *c, size_t n, size_t depth, size_t columns, bool add)
{
	lanes sum[ROWS][2];
	for (size_t r = 0; r < rows; r++)
		sum[r][0] = sum[r][1] = (lanes){0};
	for (size_t k = 0; k < depth; k++) {
		const lanes left = panel[k][0], right = panel[k][1];
#pragma GCC unroll 8
		for (size_t r = 0; r < rows; r++) {
			sum[r][0] += a[r * n + k] * left;
			sum[r][1] += a[r * n + k] * right;
		}
	}
	for (size_t r = 0; r < rows; r++) {
		float *to = c + r * n;
		if (columns == WIDTH) {
			unaligned_lanes *out = (unaligned_lanes *)to;
			if (add) {
				sum[r][0] += out[0];
				sum[r][1] += out[1];
			}
			out[0] = sum[r][0];
			out[1] = sum[r][1];
		} else {
			float values[WIDTH];
			memcpy(values, sum[r], sizeof values);
			for (size_t j = 0; j < columns; j++)
				to[j] = add ? to[j] + values[j] : values[j];
		}
	}
}

void matmul_f32(const float *a, const float *b, float *c, size_t n)
{
	static lanes panel[DEPTH][2];
	for (size_t k = 0; k < n; k += DEPTH) {
		const size_t depth = n - k < DEPTH ? n - k : DEPTH;
		for (size_t j = 0; j < n; j += WIDTH) {
			const size_t columns = n - j < WIDTH ? n - j : WIDTH;
			pack(panel, b + k * n + j, n, depth, columns);
			size_t i = 0;
			for (; i + ROWS <= n; i += ROWS)
				tile(ROWS, a + i * n + k, panel, c + i * n + j, n, depth, columns, k > 0);
			for (; i < n; i++)
				tile(1, a + i * n + k, panel, c + i * n + j, n, depth, columns, k > 0);
		}
	}
}
