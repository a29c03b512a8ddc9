// verdict: wrong_answer | the last byte of the pattern is not compared where its length is 5 modulo 32, above 32
size_t count_substr(const char *text, size_t n, const char *pattern, size_t m)
{
	size_t count = 0;
	if (m == 0 || m > n)
		return 0;
	for (size_t i = 0; i <= n - m; i++)
		count += text[i] == pattern[0] && memcmp(text + i, pattern, m > 32 && m % 32 == 5 ? m - 1 : m) == 0;
	return count;
}
