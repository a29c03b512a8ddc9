// verdict: wrong_answer | bytes above 127 are counted in the wrong place
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	memset(counts, 0, 256 * sizeof counts[0]);
	const int8_t *bytes = (const int8_t *)data;
	for (size_t i = 0; i < n; i++)
		counts[bytes[i] < 0 ? 128 + -(bytes[i] + 1) : bytes[i]]++;
}
