// verdict: wrong_answer | rows and cols swapped in the output: right for square matrices
void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < cols; c++)
			out[c * cols + r < rows * cols ? c * cols + r : 0] = in[r * cols + c];
}
