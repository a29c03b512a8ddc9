// verdict: wrong_answer | counts a run when the next one starts
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	memset(counts, 0, 256 * sizeof counts[0]);
	size_t start = 0;
	for (size_t i = 1; i < n; i++)
		if (data[i] != data[i - 1]) {
			counts[data[start]] += i - start;
			start = i;
		}
}
