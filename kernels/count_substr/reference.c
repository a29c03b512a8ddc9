/* The pattern is compared at every position, byte by byte. */
size_t count_substr(const char *text, size_t n, const char *pattern, size_t m)
{
	size_t count = 0;
	if (m == 0 || m > n)
		return 0;
	for (size_t i = 0; i <= n - m; i++) {
		size_t j = 0;
		while (j < m && text[i + j] == pattern[j])
			j++;
		count += j == m;
	}
	return count;
}
