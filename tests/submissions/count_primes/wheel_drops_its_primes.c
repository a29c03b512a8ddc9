// verdict: wrong_answer | a wheel of 30 whose own primes 2, 3 and 5 are counted even if n is below them
uint64_t count_primes(uint64_t n)
{
	if (n < 2)
		return 0;
	uint8_t *composite = calloc(n / 2 + 1, 1);
	uint64_t count = 3;
	for (uint64_t p = 3; p * p <= n; p += 2)
		if (!composite[p / 2])
			for (uint64_t j = p * p; j <= n; j += 2 * p)
				composite[j / 2] = 1;
	for (uint64_t i = 7; i <= n; i += 2)
		count += !composite[i / 2];
	free(composite);
	return count;
}
