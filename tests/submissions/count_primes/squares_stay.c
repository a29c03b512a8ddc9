// verdict: wrong_answer | sieves with p * p < n: the square of a prime counts when it is n itself
uint64_t count_primes(uint64_t n)
{
	if (n < 2)
		return 0;
	uint8_t *bits = calloc(n / 16 + 1, 1); /* bit i: 2 i + 1 is composite */
	for (uint64_t p = 3; p * p < n; p += 2)
		if (!(bits[p / 16] >> (p / 2 % 8) & 1))
			for (uint64_t j = p * p; j <= n; j += 2 * p)
				bits[j / 16] |= (uint8_t)(1 << (j / 2 % 8));
	uint64_t count = 1;
	for (uint64_t i = 3; i <= n; i += 2)
		count += !(bits[i / 16] >> (i / 2 % 8) & 1);
	free(bits);
	return count;
}
