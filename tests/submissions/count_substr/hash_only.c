// verdict: wrong_answer | a rolling hash of 16 bits that is not verified
size_t count_substr(const char *text, size_t n, const char *pattern, size_t m)
{
	if (m == 0 || m > n)
		return 0;
	uint16_t want = 0, hash = 0, power = 1;
	for (size_t i = 0; i < m; i++) {
		want = (uint16_t)(want * 31 + (uint8_t)pattern[i]);
		hash = (uint16_t)(hash * 31 + (uint8_t)text[i]);
		power = (uint16_t)(power * 31);
	}
	size_t count = want == hash;
	for (size_t i = m; i < n; i++) {
		hash = (uint16_t)(hash * 31 + (uint8_t)text[i] - power * (uint8_t)text[i - m]);
		count += want == hash;
	}
	return count;
}
