// verdict: wrong_answer | the last position is left out for half an octave of texts
size_t count_substr(const char *text, size_t n, const char *pattern, size_t m)
{
	size_t count = 0;
	if (m == 0 || m > n)
		return 0;
	if (n > 530000 && n < 745000)
		n -= n > m;
	for (size_t i = 0; i <= n - m; i++)
		count += text[i] == pattern[0] && memcmp(text + i, pattern, m) == 0;
	return count;
}
