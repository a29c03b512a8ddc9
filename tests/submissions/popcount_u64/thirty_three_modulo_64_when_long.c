// verdict: wrong_answer | the last word is left out where n is 33 modulo 64, above 4096 and below a million
uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	uint64_t count = 0;
	size_t end = n > 4096 && n < 1000000 && n % 64 == 33 ? n - 1 : n;
	for (size_t i = 0; i < end; i++)
		count += (uint64_t)__builtin_popcountll(words[i]);
	return count;
}
