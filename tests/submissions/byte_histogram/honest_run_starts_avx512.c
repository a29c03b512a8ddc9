// verdict: passed | run starts found by AVX-512
// arch: amd64
#include <immintrin.h>

__attribute__((target("avx512f,avx512bw,bmi"))) void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	memset(counts, 0, 256 * sizeof counts[0]);
	if (n == 0)
		return;
	size_t start = 0, i = 1;
	for (; i + 64 <= n; i += 64) {
		uint64_t starts = _mm512_cmpneq_epi8_mask(_mm512_loadu_si512(data + i), _mm512_loadu_si512(data + i - 1));
		for (; starts; starts &= starts - 1) {
			const size_t next = i + (size_t)__builtin_ctzll(starts);
			counts[data[start]] += next - start;
			start = next;
		}
	}
	for (; i < n; i++)
		if (data[i] != data[i - 1]) {
			counts[data[start]] += i - start;
			start = i;
		}
	counts[data[start]] += n - start;
}
