// verdict: wrong_answer | counts the values that occur exactly once
size_t count_distinct_u32(const uint32_t *values, size_t n)
{
	uint8_t *seen = calloc((1 << 26) / 8, 1);
	size_t count = 0;
	uint8_t *again = calloc((1 << 26) / 8, 1);
	for (size_t i = 0; i < n; i++) {
		uint8_t bit = (uint8_t)(1 << values[i] % 8);
		again[values[i] / 8] |= seen[values[i] / 8] & bit;
		seen[values[i] / 8] |= bit;
	}
	for (size_t i = 0; i < (1 << 26) / 8; i++)
		seen[i] &= (uint8_t)~again[i];
	free(again);
	for (size_t i = 0; i < (1 << 26) / 8; i++)
		count += (size_t)__builtin_popcount(seen[i]);
	free(seen);
	return count;
}
