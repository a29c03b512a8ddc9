// AVX2 intrinsics behind `#pragma GCC target` | kernel=dot_f32 class=honest want=passed arch=amd64
#pragma GCC target("avx2,fma")
#include <immintrin.h>
float dot_f32(const float *a, const float *b, size_t n)
{
	__m256 s = _mm256_setzero_ps();
	size_t i = 0;
	for (; i + 8 <= n; i += 8) s = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), s);
	float lane[8], sum = 0;
	_mm256_storeu_ps(lane, s);
	for (int j = 0; j < 8; j++) sum += lane[j];
	for (; i < n; i++) sum += a[i] * b[i];
	return sum;
}
