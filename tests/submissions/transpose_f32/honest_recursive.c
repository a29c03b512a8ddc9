// verdict: passed | cache-oblivious: halves the longer side
static void part(const float *in, float *out, size_t rows, size_t cols, size_t r, size_t r_end, size_t c, size_t c_end)
{
	if (r_end - r <= 16 && c_end - c <= 16) {
		for (size_t i = r; i < r_end; i++)
			for (size_t j = c; j < c_end; j++)
				out[j * rows + i] = in[i * cols + j];
	} else if (r_end - r >= c_end - c) {
		const size_t middle = r + (r_end - r) / 2;
		part(in, out, rows, cols, r, middle, c, c_end);
		part(in, out, rows, cols, middle, r_end, c, c_end);
	} else {
		const size_t middle = c + (c_end - c) / 2;
		part(in, out, rows, cols, r, r_end, c, middle);
		part(in, out, rows, cols, r, r_end, middle, c_end);
	}
}

void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	part(in, out, rows, cols, 0, rows, 0, cols);
}
