// verdict: wrong_answer | a hash table in which 0 means an empty place: the value 0 does not count
size_t count_distinct_u32(const uint32_t *values, size_t n)
{
	static uint32_t table[1 << 21]; /* too small for the benchmark, but wrong before it */
	size_t count = 0;
	memset(table, 0, sizeof table);
	for (size_t i = 0; i < n; i++) {
		uint32_t h = values[i] * UINT32_C(2654435761) >> 11;
		while (table[h] && table[h] != values[i])
			h = (h + 1) & ((1 << 21) - 1);
		count += table[h] != values[i];
		table[h] = values[i];
	}
	return count;
}
