// verdict: passed | the AVX-512 instruction
// arch: amd64
#include <immintrin.h>

__attribute__((target("avx512f,avx512vpopcntdq"))) uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	__m512i sum = _mm512_setzero_si512();
	for (size_t i = 0; i < n; i += 8) {
		const __mmask8 rest = n - i < 8 ? (__mmask8)((1U << (n - i)) - 1) : 0xFF;
		sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_maskz_loadu_epi64(rest, words + i)));
	}
	return (uint64_t)_mm512_reduce_add_epi64(sum);
}
