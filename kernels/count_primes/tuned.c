/* Counting without listing: Legendre's sieve on the values floor(n / k) only, as in Lucy_Hedgehog's and Min_25's programs, in O(n^(3/4)).
   Primes p up to n^(1/4) are removed one after the other; what larger primes remove, products of two of them, is counted directly.

   Only odd numbers are held.  rough[] are those up to root = sqrt(n) that have no removed prime as a factor, 1 first.
   small[i] is how many odd numbers in (1, 2 i + 1] are not crossed out: multiples of removed primes are, those primes themselves are not;
   large[k] is the same for (1, n / rough[k]]. */

/* floor(n / d): a double's quotient is exact enough below 2^52, and faster */
static inline uint64_t divide(uint64_t n, uint64_t d)
{
	return n < UINT64_C(1) << 52 ? (uint64_t)((double)(int64_t)n / (double)(int64_t)d) : n / d;
}

static inline uint64_t half(uint64_t v)
{
	return (v - 1) / 2;
}

static uint64_t square_root(uint64_t n)
{
	uint64_t root = (uint64_t)sqrt((double)n);
	while (root > UINT32_MAX || root * root > n)
		root--;
	while (root < UINT32_MAX && (root + 1) * (root + 1) <= n)
		root++;
	return root;
}

struct sieve {
	uint64_t n, root;
	uint64_t roughs;  /* how many of rough[] are left */
	uint64_t removed; /* how many odd primes have been removed */
	uint64_t *large;
	uint32_t *small, *rough;
	bool *crossed;    /* [v]: v has a removed factor */
};

static void remove_prime(struct sieve *s, uint64_t p)
{
	uint64_t kept = 0, above = s->removed;
	s->crossed[p] = true;
	for (uint64_t v = p * p; v <= s->root; v += 2 * p)
		s->crossed[v] = true;
	for (uint64_t k = 0; k < s->roughs; k++) {
		uint32_t r = s->rough[k];
		if (s->crossed[r])
			continue;
		uint64_t d = r * p;
		uint64_t multiples = d <= s->root ? s->large[s->small[d / 2] - above] : s->small[half(divide(s->n, d))];
		s->large[kept] = s->large[k] - multiples + above;
		s->rough[kept++] = r;
	}
	s->roughs = kept;
	uint64_t end = half(s->root) + 1;
	for (uint64_t j = (s->root / p - 1) | 1; j >= p; j -= 2) {
		uint32_t multiples = s->small[j / 2] - (uint32_t)above;
		uint64_t start = j * p / 2;
		for (uint64_t i = start; i < end; i++)
			s->small[i] -= multiples;
		end = start;
	}
	s->removed++;
}

/* All primes up to n^(1/4) are removed: what is left to take from large[0] is primes times n / prime, less the products counted twice. */
static uint64_t finish(const struct sieve *s)
{
	uint64_t count = s->large[0] + (s->roughs + 2 * s->removed - 2) * (s->roughs - 1) / 2;
	for (uint64_t k = 1; k < s->roughs; k++)
		count -= s->large[k];
	for (uint64_t k = 1; k < s->roughs; k++) {
		uint64_t q = s->rough[k], m = s->n / q;
		uint64_t last = s->small[half(m / q)] - s->removed;
		if (last < k + 1)
			break;
		for (uint64_t j = k + 1; j <= last; j++)
			count += s->small[half(divide(m, s->rough[j]))];
		count -= (last - k) * (k + s->removed - 1);
	}
	return count + 1; /* 2 */
}

uint64_t count_primes(uint64_t n)
{
	if (n < 3)
		return n == 2;
	struct sieve s = {.n = n, .root = square_root(n)};
	s.roughs = (s.root + 1) / 2;
	s.large = calloc(s.roughs, sizeof *s.large);
	s.small = malloc(s.roughs * sizeof *s.small);
	s.rough = malloc(s.roughs * sizeof *s.rough);
	s.crossed = calloc(s.root + 1, sizeof *s.crossed);
	for (uint64_t i = 0; i < s.roughs; i++) {
		s.small[i] = (uint32_t)i;
		s.rough[i] = (uint32_t)(2 * i + 1);
		s.large[i] = half(divide(n, 2 * i + 1));
	}
	for (uint64_t p = 3; p * p <= s.root; p += 2)
		if (!s.crossed[p])
			remove_prime(&s, p);
	uint64_t count = finish(&s);
	free(s.large);
	free(s.small);
	free(s.rough);
	free(s.crossed);
	return count;
}
