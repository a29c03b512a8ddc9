// verdict: wrong_answer | the bits the other way round
uint32_t crc32_ieee(const uint8_t *data, size_t n)
{
	uint32_t crc = 0xFFFFFFFF;
	for (size_t i = 0; i < n; i++) {
		crc ^= (uint32_t)data[i] << 24;
		for (int bit = 0; bit < 8; bit++)
			crc = crc << 1 ^ (0x04C11DB7 & -(crc >> 31));
	}
	return ~crc;
}
