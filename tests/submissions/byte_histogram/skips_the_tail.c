// verdict: wrong_answer | leaves out the bytes behind the last whole word
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	memset(counts, 0, 256 * sizeof counts[0]);
	for (size_t i = 0; i < n - n % 8; i++)
		counts[data[i]]++;
}
