// verdict: wrong_answer | takes a byte 0 for the end of the text
size_t count_substr(const char *text, size_t n, const char *pattern, size_t m)
{
	size_t count = 0;
	if (m == 0 || m > n)
		return 0;
	for (size_t i = 0; i <= n - m && text[i]; i++)
		if (text[i] == pattern[0] && memcmp(text + i, pattern, m) == 0)
			count++;
	return count;
}
