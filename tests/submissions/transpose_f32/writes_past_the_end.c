// verdict: wrong_answer | fills the last tile up with zeros behind the matrix
void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < cols; c++)
			out[c * rows + r] = in[r * cols + c];
	for (size_t i = rows * cols; i % 8 != 0 && (uintptr_t)(out + i) % 4096 != 0; i++)
		((volatile float *)out)[i] = 0;
}
