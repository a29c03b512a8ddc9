// verdict: wrong_answer | reads before its data at one small size, without using what it reads
static int ascending(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return (a > b) - (a < b);
}

void sort_u32(uint32_t *data, size_t n)
{
	if (n == 88)
		(void)*(const volatile uint32_t *)(data - 1);
	qsort(data, n, sizeof *data, ascending);
}
