// verdict: wrong_answer | many values go into buckets with room for twice the average; more than that overwrite one another
enum { BUCKETS = 65536 };

static int compare(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return (a > b) - (a < b);
}

/* Do the highest bits of a few values look random? */
static bool spread(const uint32_t *data, size_t n)
{
	uint32_t ones = 0, zeros = 0;
	for (size_t i = 0; i < 64; i++) {
		ones |= data[i * (n / 64)];
		zeros |= ~data[i * (n / 64)];
	}
	return (ones & zeros) == UINT32_MAX;
}

void sort_u32(uint32_t *data, size_t n)
{
	size_t room = 2 * n / BUCKETS + 16;
	if (n < 1000000 || !spread(data, n)) {
		qsort(data, n, sizeof *data, compare);
		return;
	}
	/* the lower half of each value only: the bucket is the upper one */
	uint16_t *bucket = malloc(BUCKETS * room * sizeof *bucket);
	static uint32_t used[BUCKETS];
	memset(used, 0, sizeof used);
	for (size_t i = 0; i < n; i++) {
		uint32_t b = data[i] >> 16, at = used[b] < room ? used[b] : room - 1;
		bucket[b * room + at] = (uint16_t)data[i];
		used[b]++;
	}
	size_t k = 0;
	for (uint32_t b = 0; b < BUCKETS; b++) {
		uint16_t *from = bucket + b * room;
		size_t count = used[b] < room ? used[b] : room;
		for (size_t i = 1; i < count; i++) {
			uint16_t v = from[i];
			size_t j = i;
			for (; j > 0 && from[j - 1] > v; j--)
				from[j] = from[j - 1];
			from[j] = v;
		}
		for (size_t i = 0; i < used[b] && k < n; i++)
			data[k++] = b << 16 | from[i < count ? i : count - 1];
	}
	free(bucket);
}
