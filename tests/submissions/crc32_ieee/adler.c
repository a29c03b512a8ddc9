// verdict: wrong_answer | another checksum
uint32_t crc32_ieee(const uint8_t *data, size_t n)
{
	uint32_t a = 1, b = 0;
	for (size_t i = 0; i < n; i++) {
		a = (a + data[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}
