// verdict: passed | memmem, again and again
size_t count_substr(const char *text, size_t n, const char *pattern, size_t m)
{
	size_t count = 0;
	const char *end = text + n;
	if (m == 0)
		return 0;
	while ((text = memmem(text, (size_t)(end - text), pattern, m)) != NULL) {
		count++;
		text++;
	}
	return count;
}
