// verdict: wrong_answer | off by one in k
void matmul_f32(const float *a, const float *b, float *c, size_t n)
{
	memset(c, 0, n * n * sizeof *c);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k + 1 < n; k++)
			for (size_t j = 0; j < n; j++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
}
