// verdict: wrong_answer | off by one: the last byte is missing
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	memset(counts, 0, 256 * sizeof counts[0]);
	for (size_t i = 1; i < n; i++)
		counts[data[i - 1]]++;
}
