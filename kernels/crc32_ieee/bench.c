/* crc32_ieee: the expectation comes from sixteen tables (slice by 16), and from the published check value for "123456789". */
#include "kernel.h"

uint32_t crc32_ieee(const uint8_t *data, size_t n);

#ifdef KERNEL_STUB

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)in1;
	(void)out;
	ret->u32 = crc32_ieee(in0, arg[0].u64);
}

#else

#include "bulk_random.h"
#include <stdio.h>

enum kind { RANDOM, ZEROS, ONES, LAST_BIT, PUBLISHED };
static const char *const kind_note[] = {
	[RANDOM] = "random bytes",
	[ZEROS] = "all bytes 0",                 /* lengths that differ must differ */
	[ONES] = "all bytes 255",
	[LAST_BIT] = "all bytes 0 but the last", /* a byte skipped at the end */
	[PUBLISHED] = "\"123456789\"",
};

/* The last ones are around the blocks of folding and of sparse multiples of the polynomial. */
static const size_t sizes[] = {
	KERNEL_TEST_SIZES, 4, 6, 9, 11, 12, 13, 14, 24, 48, 80, 96, 128, 129, 191, 256, 257, 511, 512, 513, 767, 769,
	2047, 4095, 4936, 5404, 5405, 5406, 6172, 8191, 8192, 8193, 9999, 12345, 16385, 32767, 65537, 100003, 262147,
};
enum { SIZES = sizeof sizes / sizeof sizes[0], SMALL_KINDS = 4 };

static void shape(size_t n, enum kind kind, struct kernel_case *c)
{
	c->in_bytes[0] = n;
	c->arg[0].u64 = n;
	c->units = (double)n;
	c->kind = kind;
	snprintf(c->note, sizeof c->note, "n = %zu, %s", n, kind_note[kind]);
}

static void shape_test(size_t index, struct kernel_case *c)
{
	if (index == 0)
		shape(9, PUBLISHED, c);
	else
		shape(sizes[(index - 1) / SMALL_KINDS], (enum kind)((index - 1) % SMALL_KINDS), c);
}

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	shape(variant == 0 ? size : size - size / 64 % 32 - 21, RANDOM, c); /* variant 1: a large size that is no multiple of anything */
}

enum { SLICES = 16 };
static uint32_t slice_table[SLICES][256]; /* [k][v]: what byte v does to the checksum k bytes later */

static void make_tables(void)
{
	for (uint32_t value = 0; value < 256; value++) {
		uint32_t rest = value;
		for (int bit = 0; bit < 8; bit++)
			rest = rest >> 1 ^ (0xEDB88320 & -(rest & 1));
		slice_table[0][value] = rest;
	}
	for (size_t slice = 1; slice < SLICES; slice++)
		for (size_t value = 0; value < 256; value++) {
			const uint32_t before = slice_table[slice - 1][value];
			slice_table[slice][value] = before >> 8 ^ slice_table[0][before & 0xFF];
		}
}

static uint32_t expect(const unsigned char *data, size_t n)
{
	uint32_t crc = 0xFFFFFFFF;
	if (slice_table[0][1] == 0)
		make_tables();
	size_t i = 0;
	for (; i + SLICES <= n; i += SLICES) {
		uint32_t next = 0;
		for (size_t byte = 0; byte < SLICES; byte++) {
			const uint32_t mixed = byte < sizeof crc ? data[i + byte] ^ crc >> 8 * byte : data[i + byte];
			next ^= slice_table[SLICES - 1 - byte][mixed & 0xFF];
		}
		crc = next;
	}
	for (; i < n; i++)
		crc = crc >> 8 ^ slice_table[0][(crc ^ data[i]) & 0xFF];
	return ~crc;
}

static void fill(struct kernel_case *c)
{
	unsigned char *data = c->in[0];
	const size_t n = c->arg[0].u64;
	struct bulk_random generator;
	switch ((enum kind)c->kind) {
	case RANDOM:
		bulk_seed(&generator);
		bulk_bytes(&generator, data, n);
		break;
	case ZEROS: memset(data, 0, n); break;
	case ONES: memset(data, 0xFF, n); break;
	case LAST_BIT:
		memset(data, 0, n);
		if (n > 0)
			data[n - 1] = (unsigned char)(1U << kernel_random_below(8));
		break;
	case PUBLISHED: memcpy(data, "123456789", 9); break;
	}
	c->want_value.u32 = c->kind == PUBLISHED ? 0xCBF43926 : expect(data, n);
}

static bool check(const struct kernel_case *c, const unsigned char *out, union kernel_word ret, char *why, size_t why_size)
{
	(void)out;
	if (ret.u32 == c->want_value.u32)
		return true;
	snprintf(why, why_size, "the result is 0x%08X, expected 0x%08X", ret.u32, c->want_value.u32);
	return false;
}

const struct kernel kernel = {
	.name = "crc32_ieee",
	.in_align = {1},
	.tests = 1 + SIZES * SMALL_KINDS,
	.extra_checks = 1,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.check = check,
};

#endif
