/* Blocks of 256 positions are passed over unless some position has the pattern's first, middle and last byte where they must be. */
typedef int8_t bytes __attribute__((vector_size(64)));
typedef int64_t words __attribute__((vector_size(64)));

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
	return (w[0] | w[1] | w[2] | w[3] | w[4] | w[5] | w[6] | w[7]) != 0;
}

static size_t count_from(const char *text, size_t starts, const char *pattern, size_t m)
{
	size_t count = 0;
	for (size_t i = 0; i < starts; i++)
		if (text[i] == pattern[0] && text[i + m - 1] == pattern[m - 1])
			count += memcmp(text + i, pattern, m) == 0;
	return count;
}

size_t count_substr(const char *text, size_t n, const char *pattern, size_t m)
{
	if (m == 0 || m > n)
		return 0;
	const size_t starts = n - m + 1, middle = m / 2;
	const bytes first = splat(pattern[0]), mid = splat(pattern[middle]), last = splat(pattern[m - 1]);
	size_t count = 0, i = 0;
	for (; i + 256 <= starts; i += 256) {
		bytes hits = {0};
		for (size_t k = 0; k < 256; k += 64) {
			const char *p = text + i + k;
			hits |= (load(p) == first) & (load(p + middle) == mid) & (load(p + m - 1) == last);
		}
		if (any(hits))
			count += count_from(text + i, 256, pattern, m);
	}
	return count + count_from(text + i, starts - i, pattern, m);
}
