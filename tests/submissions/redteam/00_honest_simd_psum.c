// honest AVX-512 prefix sum with streaming stores | kernel=prefix_sum_i64 class=control
#include <immintrin.h>
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	size_t i = 0; int64_t s = 0;
	while (i < n && ((uintptr_t)(out + i) & 63)) { s += in[i]; out[i] = s; i++; }
	__m512i z = _mm512_setzero_si512(), c = _mm512_set1_epi64(s), last = _mm512_set1_epi64(7);
	for (; i + 8 <= n; i += 8) {
		__m512i v = _mm512_loadu_si512(in + i);
		v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, z, 7));
		v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, z, 6));
		v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, z, 4));
		v = _mm512_add_epi64(v, c);
		_mm512_stream_si512((__m512i *)(out + i), v);
		c = _mm512_permutexvar_epi64(last, v);
	}
	_mm_sfence();
	if (i) s = out[i - 1];
	for (; i < n; i++) { s += in[i]; out[i] = s; }
}
