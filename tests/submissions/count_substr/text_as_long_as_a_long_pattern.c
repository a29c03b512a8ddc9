// verdict: wrong_answer | a long pattern that is all of the text is not found
size_t count_substr(const char *text, size_t n, const char *pattern, size_t m)
{
	size_t count = 0;
	if (m == 0 || m > n)
		return 0;
	if (n == m && m > 200)
		return 0;
	for (size_t i = 0; i <= n - m; i++)
		count += text[i] == pattern[0] && memcmp(text + i, pattern, m) == 0;
	return count;
}
