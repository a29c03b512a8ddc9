// verdict: passed | anti-diagonals in lanes of 32 bits with intrinsics
// arch: amd64
#include <immintrin.h>

__attribute__((target("avx2"))) uint32_t levenshtein(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
	if (n > m)
		return levenshtein(b, m, a, n);
	if (n == 0)
		return (uint32_t)m;
	uint8_t *backwards = malloc(m);
	uint32_t *rows = calloc(3 * (n + 1), sizeof *rows), *two_ago = rows, *one_ago = rows + n + 1, *now = rows + 2 * (n + 1);
	for (size_t j = 0; j < m; j++)
		backwards[j] = b[m - 1 - j];
	one_ago[0] = one_ago[1] = 1;
	for (size_t k = 2; k <= n + m; k++) { /* cells (i, k - i) */
		size_t low = k > m ? k - m : 1, high = k - 1 < n ? k - 1 : n, i = low;
		now[0] = (uint32_t)k;
		if (k <= n)
			now[k] = (uint32_t)k;
		for (; i + 8 <= high + 1; i += 8) {
			__m256i x = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(a + i - 1)));
			__m256i y = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(backwards + m + i - k)));
			__m256i differ = _mm256_add_epi32(_mm256_set1_epi32(1), _mm256_cmpeq_epi32(x, y));
			__m256i diagonal = _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)(two_ago + i - 1)), differ);
			__m256i side = _mm256_min_epu32(_mm256_loadu_si256((const __m256i *)(one_ago + i)), _mm256_loadu_si256((const __m256i *)(one_ago + i - 1)));
			side = _mm256_add_epi32(side, _mm256_set1_epi32(1));
			_mm256_storeu_si256((__m256i *)(now + i), _mm256_min_epu32(diagonal, side));
		}
		for (; i <= high; i++) {
			uint32_t diagonal = two_ago[i - 1] + (a[i - 1] != backwards[m + i - k]);
			uint32_t side = (one_ago[i] < one_ago[i - 1] ? one_ago[i] : one_ago[i - 1]) + 1;
			now[i] = diagonal < side ? diagonal : side;
		}
		uint32_t *oldest = two_ago;
		two_ago = one_ago;
		one_ago = now;
		now = oldest;
	}
	uint32_t distance = one_ago[n];
	free(backwards);
	free(rows);
	return distance;
}
