// verdict: wrong_answer | counts in bytes of a word, added up every 64 words
uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	uint64_t count = 0;
	for (size_t start = 0; start < n; start += 64) {
		uint64_t bytes = 0;
		for (size_t i = start; i < n && i < start + 64; i++) {
			uint64_t x = words[i];
			x -= x >> 1 & 0x5555555555555555;
			x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
			bytes += x + (x >> 4) & 0x0F0F0F0F0F0F0F0F;
		}
		for (; bytes; bytes >>= 8)
			count += bytes & 0xFF;
	}
	return count;
}
