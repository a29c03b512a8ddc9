/* Sort a copy, count the steps: the copy alone is over the memory limit, on purpose. */
static void insertion_sort(uint32_t *data, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t x = data[i];
		size_t j = i;
		for (; j > 0 && data[j - 1] > x; j--)
			data[j] = data[j - 1];
		data[j] = x;
	}
}

static uint32_t median_of_three(uint32_t a, uint32_t b, uint32_t c)
{
	if (a > b) {
		uint32_t t = a;
		a = b;
		b = t;
	}
	return c < a ? a : c > b ? b : c;
}

static void sort(uint32_t *data, size_t n)
{
	while (n > 16) {
		uint32_t pivot = median_of_three(data[0], data[n / 2], data[n - 1]);
		ptrdiff_t i = 0, j = (ptrdiff_t)n - 1;
		while (i <= j) {
			while (data[i] < pivot)
				i++;
			while (data[j] > pivot)
				j--;
			if (i <= j) {
				uint32_t t = data[i];
				data[i++] = data[j];
				data[j--] = t;
			}
		}
		/* recurse into the shorter part only: the stack stays small */
		size_t left = (size_t)(j + 1), right = n - (size_t)i;
		if (left < right) {
			sort(data, left);
			data += i;
			n = right;
		} else {
			sort(data + i, right);
			n = left;
		}
	}
	insertion_sort(data, n);
}

size_t count_distinct_u32(const uint32_t *values, size_t n)
{
	if (n == 0)
		return 0;
	uint32_t *copy = malloc(n * sizeof *copy);
	memcpy(copy, values, n * sizeof *copy);
	sort(copy, n);
	size_t count = 1;
	for (size_t i = 1; i < n; i++)
		count += copy[i] != copy[i - 1];
	free(copy);
	return count;
}
