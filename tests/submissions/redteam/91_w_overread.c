// (bug class) reads a full vector past the end of the inputs | kernel=dot_f32 class=neg
#include <immintrin.h>
float dot_f32(const float *a, const float *b, size_t n)
{
	float s = 0; size_t i = 0; for (; i < n; i += 16) { __mmask16 m = n - i >= 16 ? 0xffff : (1u << (n - i)) - 1; s += _mm512_reduce_add_ps(_mm512_maskz_mov_ps(m, _mm512_mul_ps(_mm512_loadu_ps(a + i), _mm512_loadu_ps(b + i)))); }
	return s;
}
