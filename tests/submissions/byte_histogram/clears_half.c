// verdict: wrong_answer | clears 256 bytes instead of 256 counts
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	memset(counts, 0, 256);
	for (size_t i = 0; i < n; i++)
		counts[data[i]]++;
}
