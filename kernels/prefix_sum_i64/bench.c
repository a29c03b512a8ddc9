/* prefix_sum_i64: each output is checked against its neighbour and the input, modulo 2^64, so nothing need be stored. */
#include "kernel.h"

void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n);

#ifdef KERNEL_STUB

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)in1;
	(void)ret;
	prefix_sum_i64(in0, out, arg[0].u64);
}

#else

#include "bulk_random.h"
#include <stdio.h>

enum kind { RANDOM, ONES, LARGEST, LOW_HALVES };
static const char *const kind_note[] = {
	[RANDOM] = "64 random bits",           /* the sums wrap many times */
	[ONES] = "all ones",                   /* out[i] is i + 1 */
	[LARGEST] = "all INT64_MAX",           /* wraps at every second element; a saturating sum stays */
	[LOW_HALVES] = "values around 2^32",   /* carries from bit 31 and sign extensions */
};

static const size_t sizes[] = {KERNEL_TEST_SIZES, 65537, 100003};
enum { SIZES = sizeof sizes / sizeof sizes[0], KINDS = 4 };

static void shape(size_t n, enum kind kind, struct kernel_case *c)
{
	c->in_bytes[0] = c->out_bytes = n * sizeof(int64_t);
	c->arg[0].u64 = n;
	c->units = (double)n;
	c->kind = kind;
	snprintf(c->note, sizeof c->note, "n = %zu, %s", n, kind_note[kind]);
}

static void shape_test(size_t index, struct kernel_case *c)
{
	shape(sizes[index / KINDS], (enum kind)(index % KINDS), c);
}

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	if (variant == 0)
		shape(size, RANDOM, c);
	else
		shape(size - size / 16 % 8 - 5, LOW_HALVES, c); /* a large size that is no multiple of anything */
}

static void fill(struct kernel_case *c)
{
	uint64_t *in = (uint64_t *)c->in[0];
	const size_t n = c->arg[0].u64;
	struct bulk_random generator;
	bulk_seed(&generator);
	bulk_bytes(&generator, in, n * sizeof *in);
	switch ((enum kind)c->kind) {
	case RANDOM: break;
	case ONES:
		for (size_t i = 0; i < n; i++)
			in[i] = 1;
		break;
	case LARGEST:
		for (size_t i = 0; i < n; i++)
			in[i] = INT64_MAX;
		break;
	case LOW_HALVES:
		for (size_t i = 0; i < n; i++)
			in[i] = (in[i] & 0x7FFFFFFF) + 0xC0000000 - (in[i] >> 63 << 33);
		break;
	}
}

typedef uint64_t words __attribute__((vector_size(64), aligned(8), may_alias));

static bool any_word(words value)
{
	uint64_t all = 0;
	for (size_t lane = 0; lane < 8; lane++)
		all |= value[lane];
	return all != 0;
}

/* The first element that does not continue the sum, n if none. */
static size_t first_wrong(const uint64_t *in, const uint64_t *out, size_t n)
{
	size_t i = 0;
	if (n > 0 && out[0] != in[0])
		return 0;
	for (i = 1; i + 32 <= n; i += 32) {
		words difference = {0};
		for (size_t part = i; part < i + 32; part += 8)
			difference |= (*(const words *)(out + part) - *(const words *)(out + part - 1)) ^ *(const words *)(in + part);
		if (any_word(difference))
			break;
	}
	while (i < n && out[i] - out[i - 1] == in[i])
		i++;
	return i < n ? i : n;
}

static bool check(const struct kernel_case *c, const unsigned char *result, union kernel_word ret, char *why, size_t why_size)
{
	(void)ret;
	const uint64_t *in = (const uint64_t *)c->in[0], *out = (const uint64_t *)result;
	const size_t n = c->arg[0].u64, wrong = first_wrong(in, out, n);
	if (wrong == n)
		return true;
	const uint64_t want = (wrong ? out[wrong - 1] : 0) + in[wrong];
	snprintf(why, why_size, "element %zu is %lld, expected %lld", wrong, (long long)out[wrong], (long long)want);
	return false;
}

const struct kernel kernel = {
	.name = "prefix_sum_i64",
	.in_align = {sizeof(int64_t)},
	.out_align = sizeof(int64_t),
	.tests = SIZES * KINDS,
	.extra_checks = 1,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.check = check,
};

#endif
