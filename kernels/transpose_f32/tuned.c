/* Square tiles are transposed in registers.  A strip of LINE rows is walked over COLS columns, so that whole cache lines of `out` are written at once,
   and the pages they lie in are still known to the processor when the next strip comes by.
   A vector is as wide as the machine's registers, which gcc tells by its largest useful alignment. */
enum { LANES = __BIGGEST_ALIGNMENT__ / sizeof(float), LINE = 16, COLS = 256 };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef float unaligned_lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));
typedef int32_t indices __attribute__((vector_size(LANES * sizeof(int32_t))));

/* Which elements of a pair of vectors make the first and the second half of the pair interleaved. */
#if __BIGGEST_ALIGNMENT__ >= 64
static const indices first_half = {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23};
static const indices second_half = {8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
#elif __BIGGEST_ALIGNMENT__ >= 32
static const indices first_half = {0, 8, 1, 9, 2, 10, 3, 11};
static const indices second_half = {4, 12, 5, 13, 6, 14, 7, 15};
#else
static const indices first_half = {0, 4, 1, 5};
static const indices second_half = {2, 6, 3, 7};
#endif

static inline void interleave(const lanes from[LANES], lanes to[LANES])
{
#pragma GCC unroll 8
	for (size_t i = 0; i < LANES / 2; i++) {
		to[2 * i] = __builtin_shuffle(from[i], from[i + LANES / 2], first_half);
		to[2 * i + 1] = __builtin_shuffle(from[i], from[i + LANES / 2], second_half);
	}
}

/* Interleaving the upper rows with the lower ones turns the index bits of (row, column) by one; log2(LANES) times, and they have changed places. */
static inline void tile(const float *in, float *out, size_t rows, size_t cols)
{
	lanes even[LANES], odd[LANES];
	for (size_t r = 0; r < LANES; r++)
		even[r] = *(const unaligned_lanes *)(in + r * cols);
	interleave(even, odd);
	interleave(odd, even);
	if (LANES >= 8)
		interleave(even, odd);
	if (LANES >= 16)
		interleave(odd, even);
	for (size_t c = 0; c < LANES; c++)
		*(unaligned_lanes *)(out + c * rows) = LANES == 8 ? odd[c] : even[c];
}

void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	const size_t whole_rows = rows - rows % LINE, whole_cols = cols - cols % LANES;
	for (size_t block = 0; block < whole_cols; block += COLS) {
		const size_t end = whole_cols - block < COLS ? whole_cols : block + COLS;
		for (size_t r = 0; r < whole_rows; r += LINE)
			for (size_t c = block; c < end; c += LANES)
				for (size_t part = r; part < r + LINE; part += LANES)
					tile(in + part * cols + c, out + c * rows + part, rows, cols);
	}
	for (size_t r = 0; r < rows; r++)
		for (size_t c = r < whole_rows ? whole_cols : 0; c < cols; c++)
			out[c * rows + r] = in[r * cols + c];
}
