// verdict: wrong_answer | the polynomial of CRC-32C
static uint32_t step(uint32_t crc, uint8_t byte)
{
	static uint32_t table[256];
	if (table[1] == 0)
		for (uint32_t v = 0; v < 256; v++) {
			uint32_t rest = v;
			for (int bit = 0; bit < 8; bit++)
				rest = rest >> 1 ^ (0x82F63B78 & -(rest & 1));
			table[v] = rest;
		}
	return crc >> 8 ^ table[(crc ^ byte) & 0xFF];
}

uint32_t crc32_ieee(const uint8_t *data, size_t n)
{
	uint32_t crc = 0xFFFFFFFF;
	for (size_t i = 0; i < n; i++)
		crc = step(crc, data[i]);
	return ~crc;
}
