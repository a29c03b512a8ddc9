// recursion, also between two functions | kernel=sort_u32 class=honest want=passed
static void sort(uint32_t *v, size_t n, unsigned bit);
static void halves(uint32_t *v, size_t low, size_t n, unsigned bit)
{
	if (!bit) return;
	sort(v, low, bit - 1);
	sort(v + low, n - low, bit - 1);
}
static void sort(uint32_t *v, size_t n, unsigned bit)
{
	if (n < 2) return;
	size_t i = 0, j = n;
	while (i < j) {
		if (v[i] >> bit & 1) { uint32_t t = v[i]; v[i] = v[--j]; v[j] = t; } else i++;
	}
	halves(v, i, n, bit);
}
void sort_u32(uint32_t *data, size_t n) { sort(data, n, 31); }
