// variable-length arrays, also as parameters | kernel=levenshtein class=honest want=passed
static uint32_t last(size_t m, uint32_t row[m + 1], const uint8_t *a, size_t n, const uint8_t *b)
{
	for (size_t j = 0; j <= m; j++) row[j] = (uint32_t)j;
	for (size_t i = 1; i <= n; i++) {
		uint32_t diagonal = row[0];
		row[0] = (uint32_t)i;
		for (size_t j = 1; j <= m; j++) {
			uint32_t best = diagonal + (a[i - 1] != b[j - 1]);
			diagonal = row[j];
			if (row[j] + 1 < best) best = row[j] + 1;
			if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[m];
}
uint32_t levenshtein(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
	uint32_t row[m + 1];
	return last(m, row, a, n, b);
}
