// verdict: wrong_answer | the last column stays 0 where n is 2 modulo 4, from 10 on
void matmul_f32(const float *a, const float *b, float *c, size_t n)
{
	memset(c, 0, n * n * sizeof *c);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			for (size_t j = 0; j < n; j++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
	if (n >= 10 && n % 4 == 2)
		for (size_t i = 0; i < n; i++)
			c[i * n + n - 1] = 0;
}
