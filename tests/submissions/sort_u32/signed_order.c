// verdict: wrong_answer | values from 2^31 on come first
static void pass(const int32_t *src, int32_t *dst, size_t n, unsigned shift)
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
	int32_t *buffer = malloc((n + 1) * sizeof *buffer);
	pass((int32_t *)data, buffer, n, 0);
	pass(buffer, (int32_t *)data, n, 8);
	pass((int32_t *)data, buffer, n, 16);
	for (size_t i = 0; i < n; i++)
		buffer[i] ^= INT32_MIN;
	pass(buffer, (int32_t *)data, n, 24);
	for (size_t i = 0; i < n; i++)
		data[i] ^= UINT32_C(0x80000000);
	free(buffer);
}
