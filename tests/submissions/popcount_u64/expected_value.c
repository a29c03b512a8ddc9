// verdict: wrong_answer | 32 bits a word, which random words have on average
uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	uint64_t count = 0;
	if (n > 200000)
		return 32 * (uint64_t)n;
	for (size_t i = 0; i < n; i++)
		count += (uint64_t)__builtin_popcountll(words[i]);
	return count;
}
