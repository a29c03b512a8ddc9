// verdict: wrong_answer | values as multiples of 2^-24
void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < cols; c++)
			out[c * rows + r] = (float)(int32_t)(in[r * cols + c] * 0x1p24f) * 0x1p-24f;
}
