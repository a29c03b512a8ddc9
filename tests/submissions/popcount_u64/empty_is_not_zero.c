// verdict: wrong_answer | 64 for n = 0
uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	uint64_t count = n ? 0 : 64;
	for (size_t i = 0; i < n; i++)
		count += (uint64_t)__builtin_popcountll(words[i]);
	return count;
}
