// verdict: wrong_answer | the bytes between the first and the last are not compared
size_t count_substr(const char *text, size_t n, const char *pattern, size_t m)
{
	size_t count = 0;
	if (m == 0 || m > n)
		return 0;
	for (size_t i = 0; i <= n - m; i++)
		if (text[i] == pattern[0] && text[i + m - 1] == pattern[m - 1])
			count++;
	return count;
}
