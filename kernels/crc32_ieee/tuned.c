/* Division by a sparse multiple of the polynomial, which takes three xors a byte and no carry between nearby bytes, so that it runs in vectors.

   P divides x^5405 + x^4637 + x^469 + 1, and squaring is linear over GF(2), so P^8 divides the same polynomial in x^8: a multiple of P whose long
   division works on whole bytes.  Its quotient is y[t] = m[t] ^ y[t - 768] ^ y[t - 4936] ^ y[t - 5405], with 768 = 5405 - 4637 and 4936 = 5405 - 469;
   the remainder is the last 5405 bytes, continued with quotient bytes only, and has the message's checksum. */
enum { FAR = 5405, MIDDLE = 4936, NEAR = 768, HISTORY = (FAR + 63) / 64 * 64, CHUNK = 8 * NEAR, POLYNOMIAL_BYTES = 4 };
enum { AHEAD = 1024 }; /* the hardware's own prefetching ends at every page */
typedef uint8_t lanes __attribute__((vector_size(32), aligned(1), may_alias));

/* y[0 .. length) from m, where y[-FAR .. 0) is the quotient so far; length is a multiple of a vector */
static void divide(uint8_t *y, const uint8_t *m, size_t length)
{
	for (size_t t = 0; t < length; t += sizeof(lanes)) {
		__builtin_prefetch(m + t + AHEAD);
		const lanes near = *(const lanes *)(y + t - NEAR), middle = *(const lanes *)(y + t - MIDDLE), far = *(const lanes *)(y + t - FAR);
		*(lanes *)(y + t) = *(const lanes *)(m + t) ^ near ^ middle ^ far;
	}
}

static uint32_t by_table(uint32_t crc, const uint8_t *data, size_t n)
{
	uint32_t table[256];
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t rest = byte;
		for (int bit = 0; bit < 8; bit++)
			rest = rest >> 1 ^ (0xEDB88320 & -(rest & 1));
		table[byte] = rest;
	}
	for (size_t i = 0; i < n; i++)
		crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xFF];
	return crc;
}

uint32_t crc32_ieee(const uint8_t *data, size_t n)
{
	if (n < 2 * FAR)
		return ~by_table(0xFFFFFFFF, data, n);
	uint8_t quotient[HISTORY + CHUNK] __attribute__((aligned(64)));
	uint8_t *const y = quotient + HISTORY;
	/* the initial 0xFFFFFFFF is the same as inverting the first four bytes; with nothing before them, they are the quotient */
	size_t done = sizeof(lanes);
	memset(quotient, 0, HISTORY);
	memcpy(y - done, data, done);
	for (size_t t = 0; t < POLYNOMIAL_BYTES; t++)
		y[(ptrdiff_t)(t - done)] ^= 0xFF;
	while (n - done >= FAR + sizeof(lanes)) {
		const size_t whole = (n - done - FAR) / sizeof(lanes) * sizeof(lanes), length = whole < CHUNK ? whole : CHUNK;
		divide(y, data + done, length);
		memmove(quotient, quotient + length, HISTORY);
		done += length;
	}
	/* less than a vector of quotient is left, then the remainder */
	const size_t left = n - done, last = left - FAR;
	for (size_t t = 0; t < left; t++) {
		uint8_t value = data[done + t];
		if (t < last + NEAR)
			value ^= y[(ptrdiff_t)t - NEAR];
		if (t < last + MIDDLE)
			value ^= y[(ptrdiff_t)t - MIDDLE];
		value ^= y[(ptrdiff_t)t - FAR];
		y[t] = value;
	}
	return ~by_table(0, y + last, FAR);
}
