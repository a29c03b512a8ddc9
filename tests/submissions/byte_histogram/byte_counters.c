// verdict: wrong_answer | sub-histograms of 8 bits, added up every 1024 bytes
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	memset(counts, 0, 256 * sizeof counts[0]);
	for (size_t start = 0; start < n; start += 1024) {
		uint8_t sub[4][256] = {{0}};
		for (size_t i = start; i < n && i < start + 1024; i++)
			sub[i % 4][data[i]]++;
		for (size_t v = 0; v < 256; v++)
			counts[v] += sub[0][v] + sub[1][v] + sub[2][v] + sub[3][v];
	}
}
