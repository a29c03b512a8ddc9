/* Blocks of positions are passed over unless some position has the pattern's first, middle and last byte where they must be.  The text is
   read in two places at once: memory delivers more to two streams than to one. */
/* wider vectors are no faster: memory is the limit */
enum { WIDTH = __BIGGEST_ALIGNMENT__ < 32 ? __BIGGEST_ALIGNMENT__ : 32, STREAMS = 2, BLOCK = 128 };
typedef int8_t bytes __attribute__((vector_size(WIDTH)));
typedef int64_t words __attribute__((vector_size(WIDTH)));

struct probe {
	const char *pattern;
	size_t m;
	bytes first, middle, last;
};

static inline bytes load(const char *p)
{
	bytes v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline bytes splat(char c)
{
	return (bytes){0} + (int8_t)c;
}

static inline bool any(bytes v)
{
	words w = (words)v;
	int64_t bits = 0;
	for (unsigned k = 0; k < WIDTH / sizeof bits; k++)
		bits |= w[k];
	return bits != 0;
}

/* -1 where a match may start in text[0 .. WIDTH) */
static inline bytes candidates(const struct probe *p, const char *text)
{
	return (bytes)(load(text) == p->first) & (bytes)(load(text + p->m / 2) == p->middle) & (bytes)(load(text + p->m - 1) == p->last);
}

static inline bytes block_candidates(const struct probe *p, const char *text)
{
	bytes hits = {0};
#pragma GCC unroll 8
	for (size_t i = 0; i < BLOCK; i += WIDTH)
		hits |= candidates(p, text + i);
	return hits;
}

static size_t count_block(const struct probe *p, const char *text)
{
	size_t count = 0;
	for (size_t i = 0; i < BLOCK; i += WIDTH) {
		bytes hits = candidates(p, text + i);
		if (!any(hits))
			continue;
		for (size_t j = 0; j < WIDTH; j++)
			if (hits[j])
				count += memcmp(text + i + j, p->pattern, p->m) == 0;
	}
	return count;
}

size_t count_substr(const char *text, size_t n, const char *pattern, size_t m)
{
	if (m == 0 || m > n)
		return 0;
	const struct probe probe = {pattern, m, splat(pattern[0]), splat(pattern[m / 2]), splat(pattern[m - 1])};
	const size_t starts = n - m + 1, part = starts / STREAMS / BLOCK * BLOCK;
	const char *other = text + part;
	size_t count = 0;
	for (size_t i = 0; i < part; i += BLOCK)
		if (any(block_candidates(&probe, text + i) | block_candidates(&probe, other + i)))
			count += count_block(&probe, text + i) + count_block(&probe, other + i);
	for (size_t i = STREAMS * part; i < starts; i++)
		count += text[i] == pattern[0] && memcmp(text + i, pattern, m) == 0;
	return count;
}
