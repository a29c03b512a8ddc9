// verdict: wrong_answer | leaves out the words behind the last four
uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	uint64_t count = 0;
	for (size_t i = 0; i + 4 <= n; i += 4)
		for (size_t k = 0; k < 4; k++)
			count += (uint64_t)__builtin_popcountll(words[i + k]);
	return count;
}
