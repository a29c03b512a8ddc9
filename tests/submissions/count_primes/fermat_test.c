// verdict: wrong_answer | counts pseudoprimes to base 2: 341, 561, 645 ...
static bool looks_prime(uint32_t p)
{
	uint64_t result = 1, base = 2;
	for (uint32_t e = p - 1; e; e >>= 1) {
		if (e & 1)
			result = result * base % p;
		base = base * base % p;
	}
	return result == 1;
}

uint64_t count_primes(uint64_t n)
{
	uint64_t count = n >= 2;
	for (uint64_t i = 3; i <= n; i += 2)
		count += looks_prime((uint32_t)i);
	return count;
}
