// verdict: passed | sums over floor(n / k), no sieve
uint64_t count_primes(uint64_t n)
{
	if (n < 2)
		return 0;
	uint64_t root = (uint64_t)sqrt((double)n);
	while (root * root > n)
		root--;
	while ((root + 1) * (root + 1) <= n)
		root++;
	uint64_t *low = malloc((root + 1) * sizeof *low), *high = malloc((root + 1) * sizeof *high);
	for (uint64_t i = 1; i <= root; i++) {
		low[i] = i - 1;
		high[i] = n / i - 1;
	}
	for (uint64_t p = 2; p <= root; p++) {
		if (low[p] == low[p - 1])
			continue;
		uint64_t before = low[p - 1], end = n / p / p < root ? n / p / p : root;
		for (uint64_t i = 1; i <= end; i++)
			high[i] -= (i * p <= root ? high[i * p] : low[n / (i * p)]) - before;
		for (uint64_t i = root; i >= p * p; i--)
			low[i] -= low[i / p] - before;
	}
	uint64_t count = high[1];
	free(low);
	free(high);
	return count;
}
