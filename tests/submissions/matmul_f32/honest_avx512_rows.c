// verdict: passed | four rows by 16 columns in AVX-512
// arch: amd64
#include <immintrin.h>

__attribute__((target("avx512f"))) void matmul_f32(const float *a, const float *b, float *c, size_t n)
{
	for (size_t j = 0; j < n; j += 16) {
		const __mmask16 columns = n - j < 16 ? (__mmask16)((1U << (n - j)) - 1) : 0xFFFF;
		for (size_t i = 0; i < n; i += 4) {
			const size_t rows = n - i < 4 ? n - i : 4;
			__m512 sum[4] = {_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps()};
			for (size_t k = 0; k < n; k++) {
				const __m512 row = _mm512_maskz_loadu_ps(columns, b + k * n + j);
				for (size_t r = 0; r < 4; r++)
					if (r < rows)
						sum[r] = _mm512_fmadd_ps(_mm512_set1_ps(a[(i + r) * n + k]), row, sum[r]);
			}
			for (size_t r = 0; r < rows; r++)
				_mm512_mask_storeu_ps(c + (i + r) * n + j, columns, sum[r]);
		}
	}
}
