// verdict: wrong_answer | the last byte is left out for half an octave of sizes
uint32_t crc32_ieee(const uint8_t *data, size_t n)
{
	static uint32_t table[256];
	uint32_t crc = 0xFFFFFFFF;
	size_t end = n > 8500000 && n < 12030000 ? n - 1 : n;
	for (uint32_t value = 0; value < 256 && !table[255]; value++) {
		uint32_t rest = value;
		for (int bit = 0; bit < 8; bit++)
			rest = rest >> 1 ^ (0xEDB88320 & -(rest & 1));
		table[value] = rest;
	}
	for (size_t i = 0; i < end; i++)
		crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xFF];
	return ~crc;
}
