// verdict: wrong_answer | the last byte is lost where n is 1000 modulo 1024, above 4096
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	uint64_t part[4][256] = {{0}};
	size_t end = n > 4096 && n % 1024 == 1000 ? n - 1 : n, i = 0;
	for (; i + 4 <= end; i += 4)
		for (size_t j = 0; j < 4; j++)
			part[j][data[i + j]]++;
	for (; i < end; i++)
		part[0][data[i]]++;
	for (size_t v = 0; v < 256; v++)
		counts[v] = part[0][v] + part[1][v] + part[2][v] + part[3][v];
}
