/* matmul_f32: each element of the product within 1e-5 of the sum of its terms' magnitudes, or exact for small integers.

   What the benchmark's values have that others lack, and what is done about it:
   - They are no integers, so that exact checks can be told from them by a look at one element.  The tolerance is 1e-3 at n = 384, three hundred times what
     rounding in any order makes of it (3e-6), but every element is checked: inputs rounded to 12 bits, or to half precision, are off by 1e-3 in a
     standard deviation, so that a third of all elements is wrong; to 14 bits by 2.7e-4, and some of the 147,456 elements are wrong in every call; a
     term left out is off by a third.  Inputs of 16 bits pass: that is what the tolerance says.
   - n = 384 is a multiple of any tile: a check has n = 383, small tests every n.
   - Values are alike, and none is 0: small tests have integers, and matrices that shift rows. */
#include "kernel.h"

void matmul_f32(const float *a, const float *b, float *c, size_t n);

#ifdef KERNEL_STUB

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)ret;
	matmul_f32(in0, in1, out, arg[0].u64);
}

#else

#include "bulk_random.h"
#include "sizes.h"
#include <math.h>
#include <stdio.h>

enum kind { REAL, INTEGERS, SHIFT };
enum { KINDS = SHIFT + 1 };
static const char *const kind_note[] = {
	[REAL] = "values in [-1, 1)",
	[INTEGERS] = "integers of -64 to 64", /* sums below 2^24: exact in any order */
	[SHIFT] = "a shifts the rows of b",   /* every other term is 0, so that each wrong index shows alone */
};

static struct sizes_tests tests;

static void shape(size_t n, enum kind kind, struct kernel_case *c)
{
	c->in_bytes[0] = c->in_bytes[1] = c->out_bytes = n * n * sizeof(float);
	c->want_bytes = 2 * n * n * sizeof(double); /* the product, then the tolerances */
	c->arg[0].u64 = n;
	c->units = (double)n * (double)n * (double)n;
	c->kind = kind;
	c->content = kind_note[kind];
	snprintf(c->note, sizeof c->note, "n = %zu, %s", n, kind_note[kind]);
}

static size_t plan(size_t size)
{
	/* a call costs the cube of its size: the larger ones are few, and not called near the guards */
	const struct sizes_recipe recipe = {
		.kinds = KINDS, .telling = {2, .kind = {REAL, INTEGERS}}, .dense = 2, .sparse_one_in = 8,
		.shared_kind = INTEGERS, .modulus = 64, .spread = 1, .guarded_up_to = SIZES_DENSE,
	};
	sizes_plan(&tests, &recipe, size);
	sizes_test(&tests, 513 + kernel_random_below(16), 0, INTEGERS); /* more than one block of any usual size */
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
	switch (variant) {
	case 0: shape(size, REAL, c); break;
	case 1: shape(size, INTEGERS, c); break;
	default: shape(size - 1, REAL, c); break;
	}
}

static void fill_inputs(enum kind kind, float *a, float *b, size_t n)
{
	struct bulk_random generator;
	bulk_seed(&generator);
	const size_t shift = n ? kernel_random_below(n) : 0;
	bulk_floats(&generator, a, n * n);
	bulk_floats(&generator, b, n * n);
	if (kind == INTEGERS)
		for (size_t i = 0; i < n * n; i++) {
			a[i] = rintf(a[i] * 64);
			b[i] = rintf(b[i] * 64);
		}
	if (kind == SHIFT)
		for (size_t i = 0; i < n * n; i++)
			a[i] = i % n == (i / n + shift) % n ? 1 : 0;
}

enum { WIDTH = 8 };
typedef float floats __attribute__((vector_size(WIDTH * sizeof(float)), aligned(4), may_alias));
typedef double doubles __attribute__((vector_size(WIDTH * sizeof(double)), aligned(8), may_alias));
typedef int64_t longs __attribute__((vector_size(WIDTH * sizeof(double))));

/* One row of the product in double, where products of floats are exact, and the sums of the terms' magnitudes. */
static void expect_row(const float *a_row, const float *b, double *product, double *magnitude, size_t n)
{
	memset(product, 0, n * sizeof *product);
	memset(magnitude, 0, n * sizeof *magnitude);
	size_t j = 0;
	for (; j + 4 * WIDTH <= n; j += 4 * WIDTH) {
		doubles sum[4] = {{0}}, sizes_sum[4] = {{0}};
		for (size_t k = 0; k < n; k++)
			for (size_t part = 0; part < 4; part++) {
				const doubles term = (double)a_row[k] * __builtin_convertvector(*(const floats *)(b + k * n + j + part * WIDTH), doubles);
				sum[part] += term;
				sizes_sum[part] += (doubles)((longs)term & INT64_MAX);
			}
		memcpy(product + j, sum, sizeof sum);
		memcpy(magnitude + j, sizes_sum, sizeof sizes_sum);
	}
	for (; j < n; j++)
		for (size_t k = 0; k < n; k++) {
			product[j] += (double)a_row[k] * b[k * n + j];
			magnitude[j] += fabs((double)a_row[k] * b[k * n + j]);
		}
}

static void fill(struct kernel_case *c)
{
	float *a = (float *)c->in[0], *b = (float *)c->in[1];
	const size_t n = c->arg[0].u64;
	double *product = (double *)c->want, *tolerance = product + n * n;
	const double relative = c->kind == REAL ? 1e-5 : 0;
	fill_inputs((enum kind)c->kind, a, b, n);
	for (size_t i = 0; i < n; i++)
		expect_row(a + i * n, b, product + i * n, tolerance + i * n, n);
	for (size_t i = 0; i < n * n; i++)
		tolerance[i] *= relative;
}

static bool check(const struct kernel_case *c, const unsigned char *out, union kernel_word ret, char *why, size_t why_size)
{
	(void)ret;
	const float *got = (const float *)out;
	const size_t n = c->arg[0].u64;
	const double *want = (const double *)c->want, *tolerance = want + n * n;
	for (size_t i = 0; i < n * n; i++)
		if (!(fabs((double)got[i] - want[i]) <= tolerance[i])) { /* true for NaN */
			size_t length = (size_t)snprintf(why, why_size, "row %zu, column %zu of c is %.9g, expected %.9g", i / n, i % n, (double)got[i], want[i]);
			if (tolerance[i] > 0 && length < why_size)
				snprintf(why + length, why_size - length, " within %.2g", tolerance[i]);
			return false;
		}
	return true;
}

const struct kernel kernel = {
	.name = "matmul_f32",
	.args = {{"n", KERNEL_U64}},
	.in_align = {sizeof(float), sizeof(float)},
	.out_align = sizeof(float),
	.plan = plan,
	.extra_checks = 2,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.check = check,
};

#endif
