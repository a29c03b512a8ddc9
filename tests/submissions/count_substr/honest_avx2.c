// verdict: passed | a filter on the first and last byte with intrinsics
// arch: amd64
#include <immintrin.h>

__attribute__((target("avx2"))) size_t count_substr(const char *text, size_t n, const char *pattern, size_t m)
{
	if (m == 0 || m > n)
		return 0;
	size_t count = 0, i = 0, starts = n - m + 1;
	const __m256i first = _mm256_set1_epi8(pattern[0]), last = _mm256_set1_epi8(pattern[m - 1]);
	for (; i + 32 <= starts; i += 32) {
		__m256i a = _mm256_cmpeq_epi8(first, _mm256_loadu_si256((const __m256i *)(text + i)));
		__m256i b = _mm256_cmpeq_epi8(last, _mm256_loadu_si256((const __m256i *)(text + i + m - 1)));
		for (uint32_t hits = (uint32_t)_mm256_movemask_epi8(_mm256_and_si256(a, b)); hits; hits &= hits - 1)
			count += memcmp(text + i + __builtin_ctz(hits), pattern, m) == 0;
	}
	for (; i < starts; i++)
		count += memcmp(text + i, pattern, m) == 0;
	return count;
}
