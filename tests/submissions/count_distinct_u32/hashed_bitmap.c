// verdict: wrong_answer | a bitmap of hashes, collisions are not resolved
size_t count_distinct_u32(const uint32_t *values, size_t n)
{
	uint8_t *seen = calloc((1 << 24) / 8, 1);
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t h = values[i] * UINT32_C(2654435761) >> 8;
		seen[h / 8] |= (uint8_t)(1 << h % 8);
	}
	for (size_t i = 0; i < (1 << 24) / 8; i++)
		count += (size_t)__builtin_popcount(seen[i]);
	free(seen);
	return count;
}
