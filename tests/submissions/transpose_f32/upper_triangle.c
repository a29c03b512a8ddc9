// verdict: wrong_answer | copies instead of transposing below the diagonal
void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < cols; c++)
			out[r <= c || rows != cols ? c * rows + r : r * cols + c] = in[r * cols + c];
}
