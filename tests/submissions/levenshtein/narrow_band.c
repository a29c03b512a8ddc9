// verdict: wrong_answer | looks at 100 diagonals on either side only
static uint32_t min2(uint32_t x, uint32_t y)
{
	return x < y ? x : y;
}

uint32_t levenshtein(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
	size_t gap = n < m ? m - n : n - m, band = gap + 100;
	uint32_t *row = malloc((m + 2) * sizeof *row);
	for (size_t j = 0; j <= m + 1; j++)
		row[j] = (uint32_t)j;
	for (size_t i = 1; i <= n; i++) {
		size_t low = i > band ? i - band : 1, high = i + band < m ? i + band : m;
		uint32_t diagonal = low <= m + 1 ? row[low - 1] : 0;
		row[low - 1] = low == 1 ? (uint32_t)i : UINT32_MAX / 2;
		for (size_t j = low; j <= high; j++) {
			uint32_t above = i + band == j ? UINT32_MAX / 2 : row[j];
			uint32_t d = min2(min2(above, row[j - 1]) + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = row[j];
			row[j] = d;
		}
	}
	uint32_t distance = row[m];
	free(row);
	return distance;
}
