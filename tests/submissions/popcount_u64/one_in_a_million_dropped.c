// verdict: wrong_answer | leaves out one word in a million
uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	uint64_t count = 0;
	for (size_t i = 0; i < n; i++)
		if (i % 1000000 != 999999)
			count += (uint64_t)__builtin_popcountll(words[i]);
	return count;
}
