// verdict: wrong_answer | goes on behind a match where the text is large and the pattern does not repeat one letter
size_t count_substr(const char *text, size_t n, const char *pattern, size_t m)
{
	if (m == 0 || m > n)
		return 0;
	bool skip = n > 10000000 && pattern[0] != pattern[1];
	size_t count = 0;
	const char *at = text, *end = text + n;
	while ((at = memmem(at, (size_t)(end - at), pattern, m))) {
		count++;
		at += skip ? m : 1;
	}
	return count;
}
