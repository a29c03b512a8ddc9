// verdict: passed | eight tables in static memory
static uint32_t table[8][256];

uint32_t crc32_ieee(const uint8_t *data, size_t n)
{
	if (table[0][1] == 0)
		for (uint32_t v = 0; v < 256; v++) {
			uint32_t rest = v;
			for (int bit = 0; bit < 8; bit++)
				rest = rest >> 1 ^ (0xEDB88320 & -(rest & 1));
			table[0][v] = rest;
		}
	for (size_t k = 1; k < 8; k++)
		for (size_t v = 0; v < 256; v++)
			table[k][v] = table[k - 1][v] >> 8 ^ table[0][table[k - 1][v] & 0xFF];
	uint32_t crc = 0xFFFFFFFF;
	size_t i = 0;
	for (; i + 8 <= n; i += 8) {
		uint64_t word;
		memcpy(&word, data + i, sizeof word);
		word ^= crc;
		crc = 0;
		for (size_t k = 0; k < 8; k++)
			crc ^= table[7 - k][word >> 8 * k & 0xFF];
	}
	for (; i < n; i++)
		crc = crc >> 8 ^ table[0][(crc ^ data[i]) & 0xFF];
	return ~crc;
}
