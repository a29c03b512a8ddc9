// qsort and bsearch of libc | kernel=sort_u32 class=honest want=passed
static int order(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return (a > b) - (a < b);
}
void sort_u32(uint32_t *data, size_t n)
{
	uint32_t first = n ? data[0] : 0;
	qsort(data, n, sizeof *data, order);
	if (n && !bsearch(&first, data, n, sizeof *data, order)) abort();
}
