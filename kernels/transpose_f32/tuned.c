/* Blocks of ROWS rows by COLS columns: a block's lines of `in` are read along the rows, and each column becomes one whole cache line of `out`. */
enum { ROWS = 16, COLS = 256 };

static void block(const float *in, float *out, size_t rows, size_t cols, size_t width)
{
	for (size_t c = 0; c < width; c++)
		for (size_t r = 0; r < ROWS; r++)
			out[c * rows + r] = in[r * cols + c];
}

void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	size_t r = 0;
	for (size_t c = 0; c < cols; c += COLS) {
		const size_t width = cols - c < COLS ? cols - c : COLS;
		for (r = 0; r + ROWS <= rows; r += ROWS)
			block(in + r * cols + c, out + c * rows + r, rows, cols, width);
	}
	for (size_t c = 0; c < cols; c++)
		for (size_t rest = rows - rows % ROWS; rest < rows; rest++)
			out[c * rows + rest] = in[rest * cols + c];
}
