// verdict: passed | intrinsics of AVX-512
// arch: amd64
#include <immintrin.h>

__attribute__((target("avx512f"))) float dot_f32(const float *a, const float *b, size_t n)
{
	__m512 sum[4];
	for (size_t k = 0; k < 4; k++)
		sum[k] = _mm512_setzero_ps();
	size_t i = 0;
	for (; i + 64 <= n; i += 64)
		for (size_t k = 0; k < 4; k++)
			sum[k] = _mm512_fmadd_ps(_mm512_loadu_ps(a + i + 16 * k), _mm512_loadu_ps(b + i + 16 * k), sum[k]);
	for (; i < n; i += 16) {
		const __mmask16 rest = n - i < 16 ? (__mmask16)((1U << (n - i)) - 1) : 0xFFFF;
		sum[0] = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(rest, a + i), _mm512_maskz_loadu_ps(rest, b + i), sum[0]);
	}
	return _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(sum[0], sum[1]), _mm512_add_ps(sum[2], sum[3])));
}
