// verdict: wrong_answer | a segment too few for n from 20 to 25 million only
enum { SEGMENT = 1 << 16 };

uint64_t count_primes(uint64_t n)
{
	static uint8_t odd[SEGMENT];
	uint64_t count = n >= 2, end = n >= 20000000 && n < 25000000 ? n - 1000 : n;
	for (uint64_t low = 1; low <= end; low += 2 * SEGMENT) {
		memset(odd, 1, sizeof odd);
		uint64_t high = low + 2 * SEGMENT - 2 < end ? low + 2 * SEGMENT - 2 : end;
		for (uint64_t p = 3; p * p <= high; p += 2) {
			uint64_t q = p * p > low ? p * p : (low + p - 1) / p * p;
			for (q += q % 2 ? 0 : p; q <= high; q += 2 * p)
				odd[(q - low) / 2] = 0;
		}
		for (uint64_t v = low; v <= high; v += 2)
			count += v > 1 && odd[(v - low) / 2];
	}
	return count;
}
