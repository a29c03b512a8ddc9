// static constant tables and one that is filled at the first call | kernel=crc32_ieee class=honest want=passed
static const uint32_t nibble[16] = {
	0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
	0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c
};
static uint32_t table[256];
uint32_t crc32_ieee(const uint8_t *data, size_t n)
{
	if (!table[1])
		for (uint32_t i = 0; i < 256; i++) {
			uint32_t c = nibble[i & 15];
			table[i] = (c >> 4) ^ nibble[(c ^ (i >> 4)) & 15];
		}
	uint32_t c = ~0u;
	for (size_t i = 0; i < n; i++) c = (c >> 8) ^ table[(c ^ data[i]) & 255];
	return ~c;
}
