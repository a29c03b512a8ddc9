/* Quicksort: the median of three as pivot, Hoare's partition, insertion sort for short parts. */
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

void sort_u32(uint32_t *data, size_t n)
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
			sort_u32(data, left);
			data += i;
			n = right;
		} else {
			sort_u32(data + i, right);
			n = left;
		}
	}
	insertion_sort(data, n);
}
