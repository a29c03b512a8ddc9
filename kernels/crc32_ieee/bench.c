/* crc32_ieee: the expectation comes from sixteen tables (slice by 16), and from the published check value for "123456789".

   What the benchmark's bytes have that others lack, and what is done about it:
   - They are random: every bit of them changes the result, so that nothing can be left out, and there is nothing that a special path could recognise.
   - The number of bytes is fixed: shared inputs have others of every magnitude, small tests every residue modulo 1024. */
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
#include "sizes.h"
#include <stdio.h>

enum kind { RANDOM, ZEROS, ONES, LAST_BIT, PUBLISHED };
enum { SMALL_KINDS = LAST_BIT + 1 };
static const char *const kind_note[] = {
	[RANDOM] = "random bytes",
	[ZEROS] = "all bytes 0",                 /* lengths that differ must differ */
	[ONES] = "all bytes 255",
	[LAST_BIT] = "all bytes 0 but the last", /* a byte skipped at the end */
	[PUBLISHED] = "\"123456789\"",
};

/* Around sparse multiples of the polynomial, which some answers use instead of a multiplication. */
static const size_t sparse_multiples[] = {767, 768, 769, 4935, 4936, 4937, 5404, 5405, 5406, 6172};
enum { SPARSE_MULTIPLES = sizeof sparse_multiples / sizeof sparse_multiples[0] };
static struct sizes_tests tests;

static void shape(size_t n, enum kind kind, struct kernel_case *c)
{
	c->in_bytes[0] = n;
	c->arg[0].u64 = n;
	c->units = (double)n;
	c->kind = kind;
	c->content = kind_note[kind];
	snprintf(c->note, sizeof c->note, "n = %zu, %s", n, kind_note[kind]);
}

static size_t plan(size_t size)
{
	const struct sizes_recipe recipe = {
		.kinds = SMALL_KINDS, .telling = {1, .kind = {RANDOM}}, .dense = 2, .sparse_one_in = 8,
		.shared_kind = RANDOM, .modulus = 1024, .spread = 4,
	};
	sizes_plan(&tests, &recipe, size);
	for (size_t i = 0; i < SPARSE_MULTIPLES; i++)
		sizes_test(&tests, sparse_multiples[i], 0, RANDOM);
	sizes_test(&tests, 9, 0, PUBLISHED);
	return tests.count;
}

static void shape_test(size_t index, struct kernel_case *c)
{
	const struct sizes_test *test = &tests.test[index];
	shape(test->n, (enum kind)test->kind, c);
	c->guarded = test->guarded;
	c->inputs_only = test->inputs_only;
	c->shared = test->shared;
}

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	(void)variant;
	shape(size, RANDOM, c);
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

/* The checksum of what came before, and then of n more bytes. */
static uint32_t continued(uint32_t checksum, const unsigned char *data, size_t n)
{
	uint32_t crc = ~checksum;
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

static void expect(struct kernel_case *c, size_t done)
{
	c->want_value.u32 = continued(done ? c->want_value.u32 : 0, c->in[0] + done, c->arg[0].u64 - done);
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
	if (!c->inputs_only)
		c->want_value.u32 = c->kind == PUBLISHED ? 0xCBF43926 : continued(0, data, n);
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
	.args = {{"n", KERNEL_U64}},
	.in_align = {1},
	.plan = plan,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.expect = expect,
	.check = check,
};

#endif
