// verdict: wrong_answer | counters overflow from 65536 elements on
static void pass(const uint32_t *src, uint32_t *dst, size_t n, unsigned shift)
{
	uint16_t place[256] = {0}, sum = 0;
	for (size_t i = 0; i < n; i++)
		place[src[i] >> shift & 255]++;
	for (unsigned b = 0; b < 256; b++) {
		uint16_t count = place[b];
		place[b] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		dst[place[src[i] >> shift & 255]++] = src[i];
}

void sort_u32(uint32_t *data, size_t n)
{
	uint32_t *buffer = malloc((n + 1) * sizeof *buffer);
	pass(data, buffer, n, 0);
	pass(buffer, data, n, 8);
	pass(data, buffer, n, 16);
	pass(buffer, data, n, 24);
	free(buffer);
}
