// verdict: wrong_answer | a duplicate becomes a copy of its neighbour
static int compare(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return (a > b) - (a < b);
}

void sort_u32(uint32_t *data, size_t n)
{
	qsort(data, n, sizeof *data, compare);
	for (size_t i = 1; i + 1 < n; i++)
		if (data[i] == data[i - 1])
			data[i] = data[i + 1];
}
