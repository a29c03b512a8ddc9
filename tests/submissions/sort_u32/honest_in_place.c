// verdict: passed | American flag sort on the highest byte, then recursion: no buffer
static void insertion(uint32_t *data, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t x = data[i];
		size_t j = i;
		for (; j > 0 && data[j - 1] > x; j--)
			data[j] = data[j - 1];
		data[j] = x;
	}
}

static void flag_sort(uint32_t *data, size_t n, int shift)
{
	if (n <= 32) {
		insertion(data, n);
		return;
	}
	size_t next[256], end[256], count[256] = {0}, sum = 0;
	for (size_t i = 0; i < n; i++)
		count[data[i] >> shift & 255]++;
	for (int b = 0; b < 256; b++) {
		next[b] = sum;
		end[b] = sum += count[b];
	}
	for (int b = 0; b < 256; b++)
		while (next[b] < end[b]) {
			uint32_t x = data[next[b]];
			for (unsigned c = x >> shift & 255; c != (unsigned)b; c = x >> shift & 255) {
				uint32_t t = data[next[c]];
				data[next[c]++] = x;
				x = t;
			}
			data[next[b]++] = x;
		}
	if (shift > 0)
		for (int b = 0; b < 256; b++)
			flag_sort(data + end[b] - count[b], count[b], shift - 8);
}

void sort_u32(uint32_t *data, size_t n)
{
	flag_sort(data, n, 24);
}
