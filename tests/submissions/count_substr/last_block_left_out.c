// verdict: wrong_answer | blocks of 32 positions, the rest is not looked at
size_t count_substr(const char *text, size_t n, const char *pattern, size_t m)
{
	size_t count = 0;
	if (m == 0 || m > n)
		return 0;
	for (size_t i = 0; i + 32 <= n - m + 1; i += 32)
		for (size_t j = i; j < i + 32; j++)
			count += text[j] == pattern[0] && memcmp(text + j, pattern, m) == 0;
	return count;
}
