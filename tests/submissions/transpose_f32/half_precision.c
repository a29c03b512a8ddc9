// verdict: wrong_answer | rounds the values to half precision
void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < cols; c++)
			out[c * rows + r] = (float)(_Float16)in[r * cols + c];
}
