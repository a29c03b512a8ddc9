// verdict: wrong_answer | adds to what is in counts
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	for (size_t i = 0; i < n; i++)
		counts[data[i]]++;
}
