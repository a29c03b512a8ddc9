// verdict: wrong_answer | reads behind its data at one small size, without using what it reads
uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	uint64_t count = 0;
	if (n == 113)
		(void)*(const volatile uint64_t *)(words + n);
	for (size_t i = 0; i < n; i++)
		count += (uint64_t)__builtin_popcountll(words[i]);
	return count;
}
