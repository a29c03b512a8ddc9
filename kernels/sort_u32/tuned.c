/* Radix sort: first by the highest byte into a buffer, then every part, small enough for the caches now, by its lower bytes.
   The buffer is static for inputs that fit, because pages of a fresh allocation would have to be mapped again in every call. */
enum { DIGITS = 256, FITS = 1 << 22 };
static uint32_t fixed_buffer[FITS];

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

static void starts_from_counts(uint32_t *counts, size_t n)
{
	uint32_t sum = 0;
	for (size_t b = 0; b < n; b++) {
		uint32_t count = counts[b];
		counts[b] = sum;
		sum += count;
	}
}

static void scatter(const uint32_t *src, uint32_t *dst, size_t n, uint32_t *place, unsigned shift)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t x = src[i];
		dst[place[x >> shift & (DIGITS - 1)]++] = x;
	}
}

/* Sorts by the lowest 24 bits, from src into dst; src is used as a buffer. */
static void sort_part(uint32_t *src, uint32_t *dst, size_t n)
{
	uint32_t counts[3][DIGITS] = {{0}};
	if (n <= 32) {
		memcpy(dst, src, n * sizeof *dst);
		insertion_sort(dst, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t x = src[i];
		counts[0][x & 255]++;
		counts[1][x >> 8 & 255]++;
		counts[2][x >> 16 & 255]++;
	}
	for (unsigned d = 0; d < 3; d++)
		starts_from_counts(counts[d], DIGITS);
	scatter(src, dst, n, counts[0], 0);
	scatter(dst, src, n, counts[1], 8);
	scatter(src, dst, n, counts[2], 16);
}

void sort_u32(uint32_t *data, size_t n)
{
	if (n <= 32) {
		insertion_sort(data, n);
		return;
	}
	uint32_t *buffer = n <= FITS ? fixed_buffer : malloc(n * sizeof *buffer);
	uint32_t counts[DIGITS] = {0}, place[DIGITS];
	for (size_t i = 0; i < n; i++)
		counts[data[i] >> 24]++;
	memcpy(place, counts, sizeof place);
	starts_from_counts(place, DIGITS);
	scatter(data, buffer, n, place, 24);
	size_t start = 0;
	for (size_t b = 0; b < DIGITS; b++) {
		sort_part(buffer + start, data + start, counts[b]);
		start += counts[b];
	}
	if (n > FITS)
		free(buffer);
}
