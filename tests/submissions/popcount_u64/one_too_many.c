// verdict: wrong_answer | adds the last word twice
uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	uint64_t count = n ? (uint64_t)__builtin_popcountll(words[n - 1]) : 0;
	for (size_t i = 0; i < n; i++)
		count += (uint64_t)__builtin_popcountll(words[i]);
	return count;
}
