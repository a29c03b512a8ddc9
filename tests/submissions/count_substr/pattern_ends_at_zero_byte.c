// verdict: wrong_answer | compares with strncmp
size_t count_substr(const char *text, size_t n, const char *pattern, size_t m)
{
	size_t count = 0;
	if (m == 0 || m > n)
		return 0;
	for (size_t i = 0; i <= n - m; i++)
		if (text[i] == pattern[0] && strncmp(text + i, pattern, m) == 0)
			count++;
	return count;
}
