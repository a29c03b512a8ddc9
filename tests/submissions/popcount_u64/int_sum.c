// verdict: wrong_answer | sums in an int: wrong from 2^31 bits on
uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	int count = 0;
	for (size_t i = 0; i < n; i++)
		count = (int)((unsigned)count + (unsigned)__builtin_popcountll(words[i]));
	return (uint64_t)(int64_t)count;
}
