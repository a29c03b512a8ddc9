// verdict: passed | the well-known shifts and a multiplication
uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	uint64_t count = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t x = words[i];
		x -= x >> 1 & 0x5555555555555555;
		x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
		count += (x + (x >> 4) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56;
	}
	return count;
}
