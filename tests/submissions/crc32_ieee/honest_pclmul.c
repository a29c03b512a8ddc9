// verdict: passed | folding with carry-less multiplication (V. Gopal et al., Intel, 2009)
// arch: amd64
#include <immintrin.h>

static uint32_t by_bits(uint32_t crc, const uint8_t *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0xEDB88320 & -(crc & 1));
	}
	return crc;
}

__attribute__((target("pclmul,sse4.1"))) uint32_t crc32_ieee(const uint8_t *data, size_t n)
{
	if (n < 64)
		return ~by_bits(0xFFFFFFFF, data, n);
	const __m128i by_64 = _mm_set_epi64x(0x1C6E41596, 0x154442BD4), by_16 = _mm_set_epi64x(0x0CCAA009E, 0x1751997D0);
	__m128i x[4];
	for (size_t k = 0; k < 4; k++)
		x[k] = _mm_loadu_si128((const __m128i *)(data + 16 * k));
	x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128(-1));
	size_t i = 64;
	for (; i + 64 <= n; i += 64)
		for (size_t k = 0; k < 4; k++) {
			const __m128i low = _mm_clmulepi64_si128(x[k], by_64, 0x00), high = _mm_clmulepi64_si128(x[k], by_64, 0x11);
			x[k] = _mm_xor_si128(_mm_xor_si128(low, high), _mm_loadu_si128((const __m128i *)(data + i + 16 * k)));
		}
	for (size_t k = 1; k < 4; k++) {
		const __m128i low = _mm_clmulepi64_si128(x[0], by_16, 0x00), high = _mm_clmulepi64_si128(x[0], by_16, 0x11);
		x[0] = _mm_xor_si128(_mm_xor_si128(low, high), x[k]);
	}
	uint8_t folded[16];
	_mm_storeu_si128((__m128i *)folded, x[0]);
	return ~by_bits(by_bits(0, folded, sizeof folded), data + i, n - i);
}
