// flushes all input lines from the caches at the end so that the reference starts cold | kernel=dot_f32 class=slowref
#include <immintrin.h>
float dot_f32(const float *a, const float *b, size_t n)
{
	float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i];
	if (n > 100000) for (size_t i = 0; i < n; i += 16) { _mm_clflush(a + i); _mm_clflush(b + i); }
	return s;
}
