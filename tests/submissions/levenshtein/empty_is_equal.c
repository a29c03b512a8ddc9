// verdict: wrong_answer | 0 when one of the strings is empty
static uint32_t min2(uint32_t x, uint32_t y)
{
	return x < y ? x : y;
}

uint32_t levenshtein(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
	if (n == 0 || m == 0)
		return 0;
	uint32_t *before = calloc(m + 1, sizeof *before), *above = malloc((m + 1) * sizeof *above), *row = malloc((m + 1) * sizeof *row);
	for (size_t j = 0; j <= m; j++)
		above[j] = (uint32_t)j;
	for (size_t i = 1; i <= n; i++) {
		row[0] = (uint32_t)i;
		for (size_t j = 1; j <= m; j++) {
			uint32_t d = min2(min2(above[j], row[j - 1]) + 1u, above[j - 1] + (a[i - 1] != b[j - 1]));
			row[j] = (uint32_t)d;
		}
		uint32_t *free_row = before;
		before = above;
		above = row;
		row = free_row;
	}
	uint32_t distance = above[m];
	free(before);
	free(above);
	free(row);
	return distance;
}
