uint32_t crc32_ieee(const uint8_t *data, size_t n)
{
	uint32_t table[256];
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t rest = byte;
		for (int bit = 0; bit < 8; bit++)
			rest = rest & 1 ? rest >> 1 ^ 0xEDB88320 : rest >> 1;
		table[byte] = rest;
	}
	uint32_t crc = 0xFFFFFFFF;
	for (size_t i = 0; i < n; i++)
		crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xFF];
	return crc ^ 0xFFFFFFFF;
}
