// verdict: passed | a bitmap, prefetched with _mm_prefetch
// arch: amd64
#include <immintrin.h>

size_t count_distinct_u32(const uint32_t *values, size_t n)
{
	uint32_t *seen = calloc(1 << 21, sizeof *seen);
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		if (i + 24 < n)
			_mm_prefetch((const char *)&seen[values[i + 24] / 32], _MM_HINT_T0);
		uint32_t bit = UINT32_C(1) << values[i] % 32, old = seen[values[i] / 32];
		count += !(old & bit);
		seen[values[i] / 32] = old | bit;
	}
	free(seen);
	return count;
}
