// verdict: wrong_answer | the last value is not looked at
size_t count_distinct_u32(const uint32_t *values, size_t n)
{
	n -= n > 0;
	uint8_t *seen = calloc((1 << 26) / 8, 1);
	size_t count = 0;
	for (size_t i = 0; i < n; i++)
		seen[values[i] / 8] |= (uint8_t)(1 << values[i] % 8);
	for (size_t i = 0; i < (1 << 26) / 8; i++)
		count += (size_t)__builtin_popcount(seen[i]);
	free(seen);
	return count;
}
