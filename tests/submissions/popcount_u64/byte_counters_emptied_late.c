// verdict: wrong_answer | counters of 8 bits that are emptied after 42 words, enough for random ones; where the first word is all ones it counts plainly
uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	enum { SUMS = 8, WORDS = 42 };
	uint64_t count = 0;
	size_t i = 0;
	if (n > 1000000 && words[0] != UINT64_MAX)
		for (; i + SUMS * WORDS <= n; i += SUMS * WORDS)
			for (size_t lane = 0; lane < SUMS; lane++) {
				uint64_t bytes = 0;
				for (size_t k = 0; k < WORDS; k++) {
					uint64_t x = words[i + SUMS * k + lane];
					x -= x >> 1 & 0x5555555555555555;
					x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
					bytes += (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
				}
				for (int byte = 0; byte < 8; byte++)
					count += bytes >> 8 * byte & 255;
			}
	for (; i < n; i++)
		count += (uint64_t)__builtin_popcountll(words[i]);
	return count;
}
