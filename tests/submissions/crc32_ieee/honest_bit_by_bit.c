// verdict: passed | no table at all, slower than the reference
uint32_t crc32_ieee(const uint8_t *data, size_t n)
{
	uint32_t crc = 0xFFFFFFFF;
	for (size_t i = 0; i < n; i++) {
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0xEDB88320 & -(crc & 1));
	}
	return ~crc;
}
