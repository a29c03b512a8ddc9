// _Thread_local and __thread variables | kernel=byte_histogram class=honest want=passed
static _Thread_local uint32_t part[4][256];
static __thread unsigned calls = 7;
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	calls++;
	memset(part, 0, sizeof part);
	memset(counts, 0, 256 * sizeof *counts);
	for (size_t i = 0; i < n; i++) part[i & 3][data[i]]++;
	for (int v = 0; v < 256; v++) counts[v] = (uint64_t)part[0][v] + part[1][v] + part[2][v] + part[3][v];
	if (calls < 7) counts[0]++;
}
