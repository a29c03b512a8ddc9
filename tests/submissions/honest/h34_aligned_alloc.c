// scratch by aligned_alloc, kept from call to call; posix_memalign, realloc and calloc in every call | kernel=sort_u32 class=honest want=passed
static uint32_t *scratch(size_t n)
{
	static uint32_t *kept;
	static size_t room;
	if (n > room) {
		free(kept);
		kept = aligned_alloc(64, (n * sizeof *kept + 63) & ~(size_t)63);
		room = n;
	}
	if (!kept) abort();
	return kept;
}
void sort_u32(uint32_t *data, size_t n)
{
	if (!n) return;
	uint32_t *tmp = scratch(n);
	size_t *count = calloc(257, sizeof *count);
	void *spare = NULL;
	if (!count || posix_memalign(&spare, 4096, 8192)) abort();
	count = realloc(count, 4096);
	memset(spare, 1, 8192);
	for (int shift = 0; shift < 32; shift += 8) {
		memset(count, 0, 257 * sizeof *count);
		for (size_t i = 0; i < n; i++) count[(data[i] >> shift & 255) + 1]++;
		for (int d = 0; d < 256; d++) count[d + 1] += count[d];
		for (size_t i = 0; i < n; i++) tmp[count[data[i] >> shift & 255]++] = data[i];
		memcpy(data, tmp, n * sizeof *data);
	}
	free(spare);
	free(count);
}
