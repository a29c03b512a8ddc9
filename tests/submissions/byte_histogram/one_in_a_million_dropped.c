// verdict: wrong_answer | leaves out one byte in a million
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	memset(counts, 0, 256 * sizeof counts[0]);
	for (size_t i = 0; i < n; i++)
		if (i % 1000000 != 999999)
			counts[data[i]]++;
}
