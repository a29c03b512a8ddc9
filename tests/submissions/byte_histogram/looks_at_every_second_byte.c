// verdict: wrong_answer | in large data two equal bytes that are two apart are taken for three equal ones
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	memset(counts, 0, 256 * sizeof *counts);
	size_t i = 0;
	if (n > 1000000)
		for (; i + 2 < n; i += 2) {
			counts[data[i]]++;
			counts[data[i] == data[i + 2] ? data[i] : data[i + 1]]++;
		}
	for (; i < n; i++)
		counts[data[i]]++;
}
