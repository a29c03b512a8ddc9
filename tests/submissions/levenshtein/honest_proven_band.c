// verdict: passed | a band that is doubled until the distance in it proves that it was wide enough (Ukkonen 1985)
static uint32_t within(const uint8_t *a, size_t n, const uint8_t *b, size_t m, size_t most)
{
	/* n <= m; a path of at most `most` edits keeps to the diagonals j - i from -below to m - n + below */
	const size_t below = (most - (m - n)) / 2, above = m - n + below;
	const uint32_t far = 1 << 28;
	uint32_t *row = malloc((m + 1) * sizeof *row);
	for (size_t j = 0; j <= m; j++)
		row[j] = j <= above ? (uint32_t)j : far;
	for (size_t i = 1; i <= n; i++) {
		size_t from = i > below ? i - below : 0, to = i + above < m ? i + above : m;
		uint32_t corner = from > 0 ? row[from - 1] : 0, left = far;
		for (size_t j = from; j <= to; j++) {
			uint32_t up = row[j], best = up + 1;
			if (j > 0 && corner + (a[i - 1] != b[j - 1]) < best)
				best = corner + (a[i - 1] != b[j - 1]);
			if (left + 1 < best)
				best = left + 1;
			corner = up;
			row[j] = left = best;
		}
	}
	uint32_t distance = row[m];
	free(row);
	return distance;
}

uint32_t levenshtein(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
	if (n > m)
		return levenshtein(b, m, a, n);
	for (size_t most = m - n + 32;; most *= 2) {
		if (most > m)
			most = m;
		uint32_t distance = within(a, n, b, m, most);
		if (distance <= most)
			return distance;
	}
}
