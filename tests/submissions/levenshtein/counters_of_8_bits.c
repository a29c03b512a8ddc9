// verdict: wrong_answer | distances above 255 wrap
static uint32_t min2(uint32_t x, uint32_t y)
{
	return x < y ? x : y;
}

uint32_t levenshtein(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
	uint8_t *before = calloc(m + 1, sizeof *before), *above = malloc((m + 1) * sizeof *above), *row = malloc((m + 1) * sizeof *row);
	for (size_t j = 0; j <= m; j++)
		above[j] = (uint8_t)j;
	for (size_t i = 1; i <= n; i++) {
		row[0] = (uint8_t)i;
		for (size_t j = 1; j <= m; j++) {
			uint32_t d = min2(min2(above[j], row[j - 1]) + 1u, above[j - 1] + (a[i - 1] != b[j - 1]));
			row[j] = (uint8_t)d;
		}
		uint8_t *free_row = before;
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
