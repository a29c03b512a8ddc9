// verdict: passed | eight sub-histograms of 32 bits
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	uint32_t sub[8][256] = {{0}};
	size_t i = 0;
	for (; i + 8 <= n; i += 8)
		for (size_t k = 0; k < 8; k++)
			sub[k][data[i + k]]++;
	for (; i < n; i++)
		sub[0][data[i]]++;
	for (size_t v = 0; v < 256; v++) {
		counts[v] = 0;
		for (size_t k = 0; k < 8; k++)
			counts[v] += sub[k][v];
	}
}
