/* Bound by memory: one stream a core reads slower than several far apart, so the words are walked in four quarters at once. */
enum { QUARTERS = 4, BLOCK = 8 };

uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	const size_t quarter = n / QUARTERS / BLOCK * BLOCK;
	uint64_t sum[QUARTERS] = {0};
	for (size_t i = 0; i < quarter; i += BLOCK)
		for (size_t q = 0; q < QUARTERS; q++)
			for (size_t k = 0; k < BLOCK; k++)
				sum[q] += (uint64_t)__builtin_popcountll(words[q * quarter + i + k]);
	uint64_t total = sum[0] + sum[1] + sum[2] + sum[3];
	for (size_t i = QUARTERS * quarter; i < n; i++)
		total += (uint64_t)__builtin_popcountll(words[i]);
	return total;
}
