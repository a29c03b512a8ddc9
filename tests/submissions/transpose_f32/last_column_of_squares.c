// verdict: wrong_answer | the last column stays 0 in squares of a side of 3 modulo 8
void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	size_t end = rows == cols && rows % 8 == 3 && rows > 3 ? cols - 1 : cols;
	for (size_t c = 0; c < cols; c++)
		for (size_t r = 0; r < rows; r++)
			out[c * rows + r] = c < end ? in[r * cols + c] : 0;
}
