// verdict: wrong_answer | does not transpose
void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	if (rows * cols > 0)
		memcpy(out, in, rows * cols * sizeof *in);
}
