/* prefix_sum_i64: each output is checked against its neighbour and the input, modulo 2^64, so nothing need be stored.

   What the benchmark's values have that others lack, and what is done about it:
   - They are 64 random bits, so that every sum wraps and no element can be left out or rounded: each output is checked.
   - None is 0 or small: a check at that size has values around 2^32, whose sums carry from the low halves; small tests have ones and the largest value.
   - The number of elements is fixed: the check at that size has another one. */
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
#include "sizes.h"
#include <stdio.h>

enum kind { RANDOM, ONES, LARGEST, LOW_HALVES, RANDOM_SHARED };
enum { KINDS = LOW_HALVES + 1 };
static const char *const kind_note[] = {
	[RANDOM] = "64 random bits",           /* the sums wrap many times */
	[ONES] = "all ones",                   /* out[i] is i + 1 */
	[LARGEST] = "all INT64_MAX",           /* wraps at every second element; a saturating sum stays */
	[LOW_HALVES] = "values around 2^32",   /* carries from bit 31 and sign extensions */
	[RANDOM_SHARED] = "64 random bits, shared",
};

static struct sizes_tests tests;

typedef uint64_t words __attribute__((vector_size(64), aligned(8), may_alias));

/* Shared cases are large and many, so only the output is read: it is weighed, each element by an odd number that depends on its place and on a random
   one, modulo 2^64.  One wrong element always shows, several but once in 2^31: their upper halves are mixed into the lower ones, since an even number
   of elements that differ in the highest bit alone would weigh the same. */
struct weighing {
	uint64_t sum, weight; /* of the inputs, and of the outputs */
};
static void shape(size_t n, enum kind kind, struct kernel_case *c)
{
	c->in_bytes[0] = c->out_bytes = n * sizeof(int64_t);
	c->want_bytes = sizeof(struct weighing);
	c->arg[0].u64 = n;
	c->units = (double)n;
	c->kind = kind;
	c->content = kind_note[kind];
	snprintf(c->note, sizeof c->note, "n = %zu, %s", n, kind_note[kind]);
}

static size_t plan(size_t size)
{
	const struct sizes_recipe recipe = {
		.kinds = KINDS, .telling = {1, .kind = {RANDOM}}, .dense = KINDS, .sparse_one_in = 1,
		.shared_kind = RANDOM_SHARED, .modulus = 64, .spread = 4,
	};
	sizes_plan(&tests, &recipe, size);
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
	if (variant == 0)
		shape(size, RANDOM, c);
	else
		shape(size - size / 16 % 8 - 5, LOW_HALVES, c); /* a large size that is no multiple of anything */
}

static uint64_t first_weight, weight_step; /* odd, and even: all weights are odd */

static uint64_t weight_of(uint64_t value, size_t place)
{
	return (value ^ value >> 32) * (first_weight + weight_step * place);
}

static uint64_t weigh(const uint64_t *values, size_t n)
{
	uint64_t total = 0;
	words sum = {0}, weights, step = (words){0} + 8 * weight_step;
	size_t i = 0;
	for (size_t lane = 0; lane < 8; lane++)
		weights[lane] = first_weight + lane * weight_step;
	for (; i + 8 <= n; i += 8, weights += step) {
		const words value = *(const words *)(values + i);
		sum += (value ^ value >> 32) * weights;
	}
	for (size_t lane = 0; lane < 8; lane++)
		total += sum[lane];
	for (; i < n; i++)
		total += weight_of(values[i], i);
	return total;
}

static void expect(struct kernel_case *c, size_t done)
{
	const uint64_t *in = (const uint64_t *)c->in[0];
	struct weighing *want = (struct weighing *)c->want;
	if (done == 0)
		*want = (struct weighing){0};
	for (size_t i = done; i < c->arg[0].u64; i++) {
		want->sum += in[i];
		want->weight += weight_of(want->sum, i);
	}
}

static void fill(struct kernel_case *c)
{
	uint64_t *in = (uint64_t *)c->in[0];
	const size_t n = c->arg[0].u64;
	struct bulk_random generator;
	bulk_seed(&generator);
	bulk_bytes(&generator, in, n * sizeof *in);
	first_weight = kernel_random() | 1;
	weight_step = kernel_random() << 1;
	switch ((enum kind)c->kind) {
	case RANDOM: break;
	case RANDOM_SHARED: break;
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
	const size_t n = c->arg[0].u64;
	if (c->kind == RANDOM_SHARED && weigh(out, n) == ((const struct weighing *)c->want)->weight)
		return true;
	const size_t wrong = first_wrong(in, out, n);
	if (wrong == n)
		return true;
	const uint64_t want = (wrong ? out[wrong - 1] : 0) + in[wrong];
	snprintf(why, why_size, "element %zu is %lld, expected %lld", wrong, (long long)out[wrong], (long long)want);
	return false;
}

const struct kernel kernel = {
	.name = "prefix_sum_i64",
	.args = {{"n", KERNEL_U64}},
	.in_align = {sizeof(int64_t)},
	.out_align = sizeof(int64_t),
	.plan = plan,
	.extra_checks = 1,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.expect = expect,
	.check = check,
};

#endif
