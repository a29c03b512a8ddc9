// verdict: wrong_answer | adds to what is in c
void matmul_f32(const float *a, const float *b, float *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			for (size_t j = 0; j < n; j++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
}
