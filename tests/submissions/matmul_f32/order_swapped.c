// verdict: wrong_answer | b a instead of a b
void matmul_f32(const float *a, const float *b, float *c, size_t n)
{
	memset(c, 0, n * n * sizeof *c);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			for (size_t j = 0; j < n; j++)
				c[i * n + j] += b[i * n + k] * a[k * n + j];
}
