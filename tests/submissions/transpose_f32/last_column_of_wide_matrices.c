// verdict: wrong_answer | the last column stays 0 where there are ten thousand times as many as rows
void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	size_t end = rows > 0 && cols / 10000 >= rows ? cols - 1 : cols;
	for (size_t c = 0; c < cols; c++)
		for (size_t r = 0; r < rows; r++)
			out[c * rows + r] = c < end ? in[r * cols + c] : 0;
}
