// verdict: wrong_answer | matches of patterns longer than 16 are not looked for inside each other
size_t count_substr(const char *text, size_t n, const char *pattern, size_t m)
{
	size_t count = 0;
	if (m == 0 || m > n)
		return 0;
	for (size_t i = 0; i <= n - m; i++)
		if (memcmp(text + i, pattern, m) == 0) {
			count++;
			if (m > 16)
				i += m - 1;
		}
	return count;
}
