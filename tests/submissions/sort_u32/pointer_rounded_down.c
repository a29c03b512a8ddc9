// verdict: wrong_answer | takes data to be aligned to 16 bytes
static void pass(const uint32_t *src, uint32_t *dst, size_t n, unsigned shift)
{
	size_t place[256] = {0}, sum = 0;
	for (size_t i = 0; i < n; i++)
		place[src[i] >> shift & 255]++;
	for (unsigned b = 0; b < 256; b++) {
		size_t count = place[b];
		place[b] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		dst[place[src[i] >> shift & 255]++] = src[i];
}

void sort_u32(uint32_t *data, size_t n)
{
	data = (uint32_t *)((uintptr_t)data & ~(uintptr_t)15);
	uint32_t *buffer = malloc((n + 1) * sizeof *buffer);
	pass(data, buffer, n, 0);
	pass(buffer, data, n, 8);
	pass(data, buffer, n, 16);
	pass(buffer, data, n, 24);
	free(buffer);
}
