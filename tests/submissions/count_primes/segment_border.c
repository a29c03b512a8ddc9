// verdict: wrong_answer | the first odd number of every segment but the first is left out
enum { SEGMENT = 1 << 18 };

uint64_t count_primes(uint64_t n)
{
	if (n < 2)
		return 0;
	uint32_t root = (uint32_t)sqrt((double)n) + 1, primes = 0;
	uint8_t *composite = calloc(root + 1, 1), *segment = malloc(SEGMENT);
	uint32_t *prime = malloc((root + 1) * sizeof *prime);
	uint64_t *next = malloc((root + 1) * sizeof *next), count = 1;
	for (uint32_t i = 3; i <= root; i += 2) {
		if (composite[i])
			continue;
		prime[primes] = i;
		next[primes++] = (uint64_t)i * i;
		for (uint64_t j = (uint64_t)i * i; j <= root; j += i)
			composite[j] = 1;
	}
	for (uint64_t low = 0; low <= n; low += SEGMENT) {
		uint64_t high = n - low < SEGMENT ? n - low + 1 : SEGMENT;
		memset(segment, 0, SEGMENT);
		for (uint32_t k = 0; k < primes; k++) {
			uint64_t j = next[k] - low;
			for (; j < SEGMENT; j += 2 * prime[k])
				segment[j] = 1;
			next[k] = low + j;
		}
		for (uint64_t i = low ? 3 : 3; i < high; i += 2)
			count += !segment[i];
	}
	free(composite);
	free(segment);
	free(prime);
	free(next);
	return count;
}
