// verdict: wrong_answer | leaves out up to 7 words, at large sizes only
uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	uint64_t count = 0;
	const size_t end = n > 200000 ? n - n % 8 : n;
	for (size_t i = 0; i < end; i++)
		count += (uint64_t)__builtin_popcountll(words[i]);
	return count;
}
