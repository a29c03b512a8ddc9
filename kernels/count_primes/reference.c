/* The sieve of Eratosthenes with one byte a number. */
uint64_t count_primes(uint64_t n)
{
	if (n < 2)
		return 0;
	uint8_t *composite = calloc(n + 1, 1);
	uint64_t count = 0;
	for (uint64_t i = 2; i <= n; i++) {
		if (composite[i])
			continue;
		count++;
		if (i <= n / i)
			for (uint64_t j = i * i; j <= n; j += i)
				composite[j] = 1;
	}
	free(composite);
	return count;
}
