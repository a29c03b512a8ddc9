// verdict: wrong_answer | the comparison is a difference, which overflows
static int compare(const void *x, const void *y)
{
	return (int)(*(const uint32_t *)x - *(const uint32_t *)y);
}

void sort_u32(uint32_t *data, size_t n)
{
	qsort(data, n, sizeof *data, compare);
}
