/* Bound by memory: a core reads one stream slower than several far apart, so the words are walked in six parts at once, each fetched a little ahead
   (the hardware's own prefetching ends at every page). */
enum { PARTS = 6, BLOCK = 8, AHEAD = 8 * BLOCK };

uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	const size_t part = n / PARTS / BLOCK * BLOCK;
	uint64_t sum[PARTS] = {0}, total = 0;
	for (size_t i = 0; i < part; i += BLOCK)
		for (size_t p = 0; p < PARTS; p++) {
			const uint64_t *block = words + p * part + i;
			__builtin_prefetch(block + AHEAD);
			for (size_t k = 0; k < BLOCK; k++)
				sum[p] += (uint64_t)__builtin_popcountll(block[k]);
		}
	for (size_t p = 0; p < PARTS; p++)
		total += sum[p];
	for (size_t i = PARTS * part; i < n; i++)
		total += (uint64_t)__builtin_popcountll(words[i]);
	return total;
}
