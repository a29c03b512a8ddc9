// verdict: wrong_answer | writes counts of 32 bits
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	uint32_t *narrow = (uint32_t *)counts;
	memset(counts, 0, 256 * sizeof counts[0]);
	for (size_t i = 0; i < n; i++)
		narrow[data[i]]++;
}
