// verdict: wrong_answer | leaves out rows behind the last whole tile of 6
void matmul_f32(const float *a, const float *b, float *c, size_t n)
{
	memset(c, 0, n * n * sizeof *c);
	for (size_t i = 0; i < n - n % 6; i++)
		for (size_t k = 0; k < n; k++)
			for (size_t j = 0; j < n; j++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
}
