// verdict: passed | non-temporal stores of AVX-512
// arch: amd64
#include <immintrin.h>

__attribute__((target("avx512f"))) void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	uint64_t sum = 0;
	size_t i = 0;
	for (; i < n && (uintptr_t)(out + i) % 64 != 0; i++)
		out[i] = (int64_t)(sum += (uint64_t)in[i]);
	__m512i carry = _mm512_set1_epi64((long long)sum);
	const __m512i zero = _mm512_setzero_si512(), last = _mm512_set1_epi64(7);
	for (; i + 8 <= n; i += 8) {
		__m512i x = _mm512_loadu_si512(in + i);
		x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 7));
		x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 6));
		x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 4));
		x = _mm512_add_epi64(x, carry);
		_mm512_stream_si512((void *)(out + i), x);
		carry = _mm512_permutexvar_epi64(last, x);
	}
	_mm_sfence();
	if (i > 0)
		sum = (uint64_t)out[i - 1];
	for (; i < n; i++)
		out[i] = (int64_t)(sum += (uint64_t)in[i]);
}
