/* A bitmap of all 2^26 values, 8 MiB.  What costs is reaching its words: each is asked for some values ahead.
   The bitmap is static because pages of a fresh allocation would have to be mapped again in every call. */
enum { RANGE = 1 << 26, AHEAD = 32 };
static uint64_t seen[RANGE / 64];

static inline size_t mark(uint32_t value)
{
	uint64_t word = seen[value / 64], bit = UINT64_C(1) << value % 64;
	seen[value / 64] = word | bit;
	return !(word & bit);
}

size_t count_distinct_u32(const uint32_t *values, size_t n)
{
	size_t count = 0, i = 0;
	memset(seen, 0, sizeof seen);
	for (; i + AHEAD < n; i++) {
		__builtin_prefetch(&seen[values[i + AHEAD] / 64], 1);
		count += mark(values[i]);
	}
	for (; i < n; i++)
		count += mark(values[i]);
	return count;
}
