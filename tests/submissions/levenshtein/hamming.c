// verdict: wrong_answer | counts the places that differ, and the difference in length
uint32_t levenshtein(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
	size_t shared = n < m ? n : m;
	uint32_t distance = (uint32_t)(n + m - 2 * shared);
	for (size_t i = 0; i < shared; i++)
		distance += a[i] != b[i];
	return distance;
}
