// verdict: wrong_answer | clears 257 counts
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	for (size_t v = 0; v < 256 + ((uintptr_t)(counts + 256) % 4096 != 0); v++)
		((volatile uint64_t *)counts)[v] = 0;
	for (size_t i = 0; i < n; i++)
		counts[data[i]]++;
}
