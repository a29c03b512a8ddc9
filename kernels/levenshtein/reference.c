/* Dynamic programming over two rows. */
static uint32_t min3(uint32_t x, uint32_t y, uint32_t z)
{
	uint32_t least = x < y ? x : y;
	return least < z ? least : z;
}

uint32_t levenshtein(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
	uint32_t *above = malloc((m + 1) * sizeof *above), *row = malloc((m + 1) * sizeof *row);
	for (size_t j = 0; j <= m; j++)
		above[j] = (uint32_t)j;
	for (size_t i = 1; i <= n; i++) {
		row[0] = (uint32_t)i;
		for (size_t j = 1; j <= m; j++)
			row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
		uint32_t *swap = above;
		above = row;
		row = swap;
	}
	uint32_t distance = above[m];
	free(above);
	free(row);
	return distance;
}
