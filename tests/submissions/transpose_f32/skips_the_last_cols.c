// verdict: wrong_answer | leaves out the columns behind the last 16
void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < cols - cols % 16; c++)
			out[c * rows + r] = in[r * cols + c];
}
