// verdict: wrong_answer | blocks of 256 in k, each overwriting the one before
void matmul_f32(const float *a, const float *b, float *c, size_t n)
{
	for (size_t start = 0; start < n; start += 256)
		for (size_t i = 0; i < n; i++) {
			memset(c + i * n, 0, n * sizeof *c);
			for (size_t k = start; k < n && k < start + 256; k++)
				for (size_t j = 0; j < n; j++)
					c[i * n + j] += a[i * n + k] * b[k * n + j];
		}
}
