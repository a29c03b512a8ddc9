// a growing list by realloc, kept from call to call | kernel=count_primes class=honest want=passed
static uint32_t *prime;
static size_t known, room;
static void keep(uint32_t p)
{
	if (known == room) { room = room ? 2 * room : 64; prime = realloc(prime, room * sizeof *prime); if (!prime) abort(); }
	prime[known++] = p;
}
static void know_up_to(uint64_t root)
{
	if (!known) { keep(2); keep(3); }
	for (uint32_t c = prime[known - 1] + 2; (uint64_t)prime[known - 1] * prime[known - 1] <= root * root + 1; c += 2) {
		int is = 1;
		for (size_t i = 1; i < known && prime[i] * prime[i] <= c; i++) if (c % prime[i] == 0) { is = 0; break; }
		if (is) keep(c);
	}
}
uint64_t count_primes(uint64_t n)
{
	static unsigned char odd[1 << 15];
	if (n < 2) return 0;
	uint64_t root = (uint64_t)sqrt((double)n) + 1, count = 1;
	know_up_to(root);
	for (uint64_t low = 1; low <= n; low += 2 * sizeof odd) {
		uint64_t high = low + 2 * sizeof odd;
		memset(odd, 1, sizeof odd);
		if (low == 1) odd[0] = 0;
		for (size_t i = 1; i < known && (uint64_t)prime[i] * prime[i] < high; i++) {
			uint64_t p = prime[i], m = (low + p - 1) / p * p;
			if (m < p * p) m = p * p;
			if (!(m & 1)) m += p;
			for (; m < high; m += 2 * p) odd[(m - low) / 2] = 0;
		}
		for (size_t i = 0; i < sizeof odd && low + 2 * i <= n; i++) count += odd[i];
	}
	return count;
}
