// verdict: wrong_answer | rotates by 90 degrees
void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < cols; c++)
			out[c * rows + (rows - 1 - r)] = in[r * cols + c];
}
