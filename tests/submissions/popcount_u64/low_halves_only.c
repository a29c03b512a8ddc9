// verdict: wrong_answer | __builtin_popcount takes 32 bits
uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	uint64_t count = 0;
	for (size_t i = 0; i < n; i++)
		count += (uint64_t)__builtin_popcount((unsigned)words[i]);
	return count;
}
