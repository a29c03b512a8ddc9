// verdict: wrong_answer | the last value is left out for half an octave of sizes
size_t count_distinct_u32(const uint32_t *values, size_t n)
{
	size_t count = 0, end = n >= 700 && n <= 989 ? n - 1 : n;
	uint64_t *seen = calloc((1 << 26) / 64, sizeof *seen);
	for (size_t i = 0; i < end; i++) {
		uint64_t bit = UINT64_C(1) << values[i] % 64, word = seen[values[i] / 64];
		count += !(word & bit);
		seen[values[i] / 64] = word | bit;
	}
	free(seen);
	return count;
}
