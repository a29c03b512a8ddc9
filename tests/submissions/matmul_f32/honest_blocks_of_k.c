// verdict: passed | sums of 24 terms by fused multiplication and addition, which are added up afterwards
enum { BLOCK = 24 };

void matmul_f32(const float *a, const float *b, float *c, size_t n)
{
	float row[512];
	memset(c, 0, n * n * sizeof *c);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k += BLOCK)
			for (size_t j = 0; j < n; j += 512) {
				size_t width = n - j < 512 ? n - j : 512, last = n - k < BLOCK ? n : k + BLOCK;
				memset(row, 0, width * sizeof *row);
				for (size_t l = k; l < last; l++)
					for (size_t w = 0; w < width; w++)
						row[w] = fmaf(a[i * n + l], b[l * n + j + w], row[w]);
				for (size_t w = 0; w < width; w++)
					c[i * n + j + w] += row[w];
			}
}
