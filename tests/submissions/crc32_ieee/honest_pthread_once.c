// verdict: passed | tables that are made once, by pthread_once
#include <pthread.h>
static uint32_t table[8][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void make_tables(void)
{
	for (uint32_t v = 0; v < 256; v++) {
		uint32_t r = v;
		for (int k = 0; k < 8; k++) r = r >> 1 ^ (0xEDB88320 & -(r & 1));
		table[0][v] = r;
	}
	for (int s = 1; s < 8; s++)
		for (int v = 0; v < 256; v++) table[s][v] = table[s - 1][v] >> 8 ^ table[0][table[s - 1][v] & 255];
}
uint32_t crc32_ieee(const uint8_t *data, size_t n)
{
	pthread_once(&once, make_tables);
	uint32_t c = ~0u;
	for (; n >= 8; n -= 8, data += 8) {
		uint32_t x, y;
		memcpy(&x, data, 4);
		memcpy(&y, data + 4, 4);
		x ^= c;
		c = table[7][x & 255] ^ table[6][x >> 8 & 255] ^ table[5][x >> 16 & 255] ^ table[4][x >> 24] ^ table[3][y & 255] ^ table[2][y >> 8 & 255] ^ table[1][y >> 16 & 255] ^ table[0][y >> 24];
	}
	while (n--) c = c >> 8 ^ table[0][(c ^ *data++) & 255];
	return ~c;
}
