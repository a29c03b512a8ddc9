/* A bitmap of all 2^26 values, 8 MiB.  What costs is reaching its words: each is asked for some values ahead. */
enum { RANGE = 1 << 26, AHEAD = 32 };

static size_t mark(uint64_t *seen, uint32_t value)
{
	uint64_t word = seen[value / 64], bit = UINT64_C(1) << value % 64;
	seen[value / 64] = word | bit;
	return !(word & bit);
}

size_t count_distinct_u32(const uint32_t *values, size_t n)
{
	uint64_t *seen = calloc(RANGE / 64, sizeof *seen);
	size_t count = 0, i = 0;
	for (; i + AHEAD < n; i++) {
		__builtin_prefetch(&seen[values[i + AHEAD] / 64], 1);
		count += mark(seen, values[i]);
	}
	for (; i < n; i++)
		count += mark(seen, values[i]);
	free(seen);
	return count;
}
