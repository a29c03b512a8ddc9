// verdict: wrong_answer | one element in a million is not written
void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < cols; c++)
			if ((r * cols + c) % 1000000 != 999999)
				out[c * rows + r] = in[r * cols + c];
}
