// verdict: wrong_answer | sub-histograms of 16 bits, added up at the end
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	static uint16_t sub[8][256];
	memset(sub, 0, sizeof sub);
	for (size_t i = 0; i < n; i++)
		sub[i % 8][data[i]]++;
	for (size_t v = 0; v < 256; v++) {
		counts[v] = 0;
		for (size_t k = 0; k < 8; k++)
			counts[v] += sub[k][v];
	}
}
