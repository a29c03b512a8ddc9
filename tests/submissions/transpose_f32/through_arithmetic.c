// verdict: wrong_answer | adds 0 to each value: signalling NaNs become quiet ones, and -0 becomes 0
void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < cols; c++)
			out[c * rows + r] = in[r * cols + c] + 0.0f;
}
