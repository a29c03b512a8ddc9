// verdict: passed | four pixels in a vector with intrinsics
// arch: amd64
#include <immintrin.h>

__attribute__((target("avx2,fma"))) static unsigned count_four(__m256d cx, __m256d cy, uint32_t max_iter, unsigned used)
{
	__m256d x = _mm256_setzero_pd(), y = x, four = _mm256_set1_pd(4);
	unsigned inside = used;
	for (uint32_t k = 1; k < max_iter && inside; k++) {
		__m256d xx = _mm256_mul_pd(x, x), yy = _mm256_mul_pd(y, y);
		y = _mm256_fmadd_pd(_mm256_add_pd(x, x), y, cy);
		x = _mm256_add_pd(_mm256_sub_pd(xx, yy), cx);
		__m256d size = _mm256_fmadd_pd(x, x, _mm256_mul_pd(y, y));
		inside &= (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(size, four, _CMP_LE_OQ));
	}
	return (unsigned)__builtin_popcount(inside);
}

__attribute__((target("avx2,fma"))) uint64_t mandel_count(double x0, double y0, double dx, double dy, size_t width, size_t height, uint32_t max_iter)
{
	uint64_t count = 0;
	for (size_t j = 0; j < height; j++)
		for (size_t i = 0; i < width; i += 4) {
			__m256d index = _mm256_setr_pd((double)i, (double)(i + 1), (double)(i + 2), (double)(i + 3));
			__m256d cx = _mm256_add_pd(_mm256_set1_pd(x0), _mm256_mul_pd(index, _mm256_set1_pd(dx)));
			count += count_four(cx, _mm256_set1_pd(y0 + (double)j * dy), max_iter, width - i < 4 ? (1u << (width - i)) - 1 : 15);
		}
	return count;
}
