/* mandel_count: the views.  Small tests are exact, so no pixel of theirs may depend on how an answer rounds: every view is surveyed with
   error bounds when it is made, and made anew until it is robust.  The benchmark's views are too large for that and get a tolerance. */
#include "kernel.h"

#ifdef KERNEL_STUB

uint64_t mandel_count(double x0, double y0, double dx, double dy, size_t width, size_t height, uint32_t max_iter);

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)in0, (void)in1, (void)out;
	ret->u64 = mandel_count(arg[0].f64, arg[1].f64, arg[2].f64, arg[3].f64, arg[4].u64, arg[5].u64, arg[6].u32);
}

#else

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct view {
	double x0, y0, dx, dy;
	size_t width, height;
	uint32_t max_iter;
};

struct survey {
	uint64_t counted; /* pixels that stay for max_iter iterations */
	uint64_t late;    /* pixels that leave after nine tenths of them */
	bool robust;      /* no pixel's fate depends on rounding */
};

/* Bounds, several times what any sensible order of operations reaches: of c, relative (x0 + i dx, even by repeated addition), and of one
   iteration, relative to its terms. */
static const double C_ERROR = 0x1p-46, STEP_ERROR = 0x1p-50, TOO_VAGUE = 1e-3;

enum fate { STAYS, LEAVES, UNSURE };

/* Iterate c with a bound on |error|; *at becomes the iteration that left the circle for certain. */
static enum fate fate_of(double cx, double cy, uint32_t max_iter, uint32_t *at)
{
	double x = 0, y = 0, error = 0, c_size = fabs(cx) + fabs(cy);
	bool inside = true;
	for (uint32_t k = 0; k < max_iter; k++) {
		double size = sqrt(x * x + y * y);
		if (size - error > 2 + 1e-12) {
			*at = k;
			return LEAVES;
		}
		inside &= size + error < 2 - 1e-12;
		error = 2 * size * error + error * error + C_ERROR * c_size + STEP_ERROR * (2 * size * size + c_size);
		if (!(error < TOO_VAGUE))
			return UNSURE;
		double t = x * x - y * y + cx;
		y = 2 * x * y + cy;
		x = t;
	}
	return inside ? STAYS : UNSURE;
}

static struct survey survey(const struct view *v)
{
	struct survey s = {0, 0, true};
	for (size_t j = 0; j < v->height; j++)
		for (size_t i = 0; i < v->width; i++) {
			uint32_t at = 0;
			enum fate fate = fate_of(v->x0 + (double)i * v->dx, v->y0 + (double)j * v->dy, v->max_iter, &at);
			if (fate == UNSURE) {
				s.robust = false;
				return s;
			}
			s.counted += fate == STAYS;
			s.late += fate == LEAVES && at >= v->max_iter / 10 * 9;
		}
	return s;
}

static double between(double low, double high)
{
	return low + (high - low) * kernel_random_unit();
}

/* No row mirrors another one, so that half of the work cannot be saved: all of them are above the real axis. */
static struct view whole_view(size_t width, size_t height, uint32_t max_iter)
{
	struct view v = {.width = width, .height = height, .max_iter = max_iter};
	v.x0 = between(-2.05, -1.95);
	v.y0 = between(0.01, 0.03);
	v.dx = between(2.55, 2.65) / (double)(width ? width : 1);
	v.dy = between(1.2, 1.25) / (double)(height ? height : 1);
	return v;
}

static struct view robust_whole_view(size_t width, size_t height, uint32_t max_iter)
{
	for (;;) {
		struct view v = whole_view(width, height, max_iter);
		if (survey(&v).robust)
			return v;
	}
}

/* A point between one that stays and one that leaves, closer to both than `gap`. */
static void find_border(uint32_t max_iter, double gap, double *x, double *y)
{
	double in_x = between(-0.4, 0.1), in_y = between(0.05, 0.3), angle = between(0.1, 3), out_x = 2.5 * cos(angle), out_y = 2.5 * sin(angle);
	uint32_t at;
	while (hypot(out_x - in_x, out_y - in_y) > gap) {
		double mid_x = (in_x + out_x) / 2, mid_y = (in_y + out_y) / 2;
		if (fate_of(mid_x, mid_y, max_iter, &at) == LEAVES) {
			out_x = mid_x;
			out_y = mid_y;
		} else {
			in_x = mid_x;
			in_y = mid_y;
		}
	}
	*x = in_x;
	*y = in_y;
}

/* The border at steps below 1e-9, which float cannot tell apart; from a tenth to nine tenths of the pixels count. */
static struct view zoomed_view(size_t width, size_t height, uint32_t max_iter)
{
	for (;;) {
		struct view v = {.width = width, .height = height, .max_iter = max_iter, .dx = between(1e-10, 9e-10), .dy = between(1e-10, 9e-10)};
		double pixels = (double)(width * height), x, y;
		find_border(max_iter, v.dx / 4, &x, &y);
		v.x0 = x - v.dx * (double)width * between(0.3, 0.7);
		v.y0 = y - v.dy * (double)height * between(0.3, 0.7);
		struct survey s = survey(&v);
		if (s.robust && (double)s.counted > 0.1 * pixels && (double)s.counted < 0.9 * pixels)
			return v;
	}
}

/* Next to the cusp at 1/4 a point at distance d leaves after about pi / sqrt(d) iterations: a strip of which at least a quarter leaves in
   the last tenth of them, and some pixels stay for all. */
static struct view late_view(size_t width, size_t height, uint32_t max_iter)
{
	double near = M_PI / max_iter * M_PI / max_iter;
	for (;;) {
		struct view v = {.width = width, .height = height, .max_iter = max_iter};
		v.x0 = 0.25 + near * between(0.9, 0.96);
		v.dx = near * between(0.25, 0.3) / (double)width;
		v.y0 = near * between(0.001, 0.002);
		v.dy = near * between(0.001, 0.002);
		struct survey s = survey(&v);
		if (s.robust && s.late > width * height / 4 && s.counted > 0)
			return v;
	}
}

/* Orbits of small integers, or that are at rest: exact whatever the order of operations.  The circle itself belongs to the inside. */
static const struct view EXACT[] = {
	{0, 0, 0.25, 0.25, 1, 1, 1000},    {-2, 0, 1, 1, 1, 1, 1000},    {-2, 0, 1, 1, 3, 1, 1000},  {0, 1, 1, 1, 1, 1, 1000},
	{0, -1, 1, 1, 1, 1, 1000},         {2, 0, 1, 1, 1, 1, 2},        {2, 0, 1, 1, 1, 1, 3},      {0, 2, 1, 1, 1, 1, 2},
	{0, 2, 1, 1, 1, 1, 3},             {3, 3, 1, 1, 5, 3, 0},        {3, 3, 1, 1, 5, 3, 1},      {3, 3, 1, 1, 5, 3, 2},
	{3, 3, 1, 1, 5, 3, 1000},          {-1, 0, 0, 0, 7, 5, 777},     {0, 0, 0.01, 0.01, 0, 0, 10}, {0, 0, 0.01, 0.01, 0, 9, 10},
	{0, 0, 0.01, 0.01, 9, 0, 10},      {0, 0, 0, 0, 4097, 1, 100},   {0, 0, 0, 0, 1, 4097, 100}, {5, 0, 1e15, 1e15, 9, 2, 500},
	{-2, -2, 2, 2, 3, 3, 2},           {-2, -2, 2, 2, 3, 3, 3},      {2, 1, -1, -1, 5, 3, 4},    {0.25, 0, 0, 0, 3, 1, 1000},
};
static const uint32_t FEW_ITERATIONS[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 20, 31, 32, 33, 50, 64, 65, 100};
static const struct {
	size_t width, height;
} SHAPES[] = {
	{1, 1}, {1, 2}, {2, 1}, {3, 5}, {5, 3}, {7, 2}, {8, 3}, {9, 4}, {15, 7}, {16, 5}, {17, 6}, {31, 3}, {33, 5}, {63, 2}, {65, 3}, {1, 100}, {100, 1}, {23, 40},
};
enum {
	EXACT_TESTS = sizeof EXACT / sizeof *EXACT,
	FEW_TESTS = sizeof FEW_ITERATIONS / sizeof *FEW_ITERATIONS,
	SHAPE_TESTS = sizeof SHAPES / sizeof *SHAPES,
	ZOOMED_TESTS = 10,
	LATE_TESTS = 4,
};

static void set_view(struct kernel_case *c, const struct view *v, bool exact, const char *what)
{
	c->arg[0].f64 = v->x0;
	c->arg[1].f64 = v->y0;
	c->arg[2].f64 = v->dx;
	c->arg[3].f64 = v->dy;
	c->arg[4].u64 = v->width;
	c->arg[5].u64 = v->height;
	c->arg[6].u32 = v->max_iter;
	c->units = (double)v->width * (double)v->height;
	c->tolerance = exact ? 0 : 32; /* contraction to FMA moves up to 18 of 2^20 pixels, float arithmetic up to 96 */
	snprintf(c->note, sizeof c->note, "%zu x %zu, max_iter = %" PRIu32 ", %s", v->width, v->height, v->max_iter, what);
}

static void shape_test(size_t index, struct kernel_case *c)
{
	struct view v;
	if (index < EXACT_TESTS) {
		v = EXACT[index];
		char what[64];
		snprintf(what, sizeof what, "c = %g%+gi, steps %g, %g", v.x0, v.y0, v.dx, v.dy);
		set_view(c, &v, true, what);
	} else if ((index -= EXACT_TESTS) < FEW_TESTS) {
		v = robust_whole_view(37, 26, FEW_ITERATIONS[index]);
		set_view(c, &v, true, "the whole set");
	} else if ((index -= FEW_TESTS) < SHAPE_TESTS) {
		v = robust_whole_view(SHAPES[index].width, SHAPES[index].height, 100 + (uint32_t)kernel_random_below(200));
		set_view(c, &v, true, "the whole set");
	} else if ((index -= SHAPE_TESTS) < ZOOMED_TESTS) {
		v = zoomed_view(19 + index, 13, 150 + (uint32_t)kernel_random_below(100));
		set_view(c, &v, true, "steps below 1e-9");
	} else {
		v = index - ZOOMED_TESTS < LATE_TESTS - 1 ? late_view(41, 3, 1000) : late_view(1024, 2, 1000); /* the last as wide as the benchmark */
		set_view(c, &v, true, "many pixels leave after 900 iterations");
	}
}

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	(void)variant;
	struct view v = whole_view(size, size, 1000);
	set_view(c, &v, false, "the whole set");
}

typedef double lanes __attribute__((vector_size(64)));
typedef int64_t masks __attribute__((vector_size(64)));
enum { LANES = 8, BETWEEN_LOOKS = 8 };

/* How many of up to 2 * LANES points stay.  The lanes are looked at now and then: who is outside once never returns. */
static uint64_t count_lanes(const double *cx, const double *cy, size_t used, uint32_t max_iter)
{
	lanes x[2] = {{0}, {0}}, y[2] = {{0}, {0}}, a[2], b[2];
	masks stays[2] = {{0}, {0}};
	memcpy(a, cx, sizeof a);
	memcpy(b, cy, sizeof b);
	for (size_t i = 0; i < used; i++)
		stays[i / LANES][i % LANES] = -1;
	for (uint32_t left = max_iter - 1; left > 0;) {
		uint32_t steps = left < BETWEEN_LOOKS ? left : BETWEEN_LOOKS;
		left -= steps;
		while (steps-- > 0)
			for (unsigned g = 0; g < 2; g++) {
				lanes t = a[g] + x[g] * x[g] - y[g] * y[g];
				y[g] = (x[g] + x[g]) * y[g] + b[g];
				x[g] = t;
			}
		masks any = {0};
		for (unsigned g = 0; g < 2; g++) {
			stays[g] &= x[g] * x[g] + y[g] * y[g] <= 4;
			any |= stays[g];
		}
		if (!(any[0] | any[1] | any[2] | any[3] | any[4] | any[5] | any[6] | any[7]))
			return 0;
	}
	uint64_t count = 0;
	for (size_t i = 0; i < used; i++)
		count += stays[i / LANES][i % LANES] != 0;
	return count;
}

static bool in_cardioid_or_bulb(double x, double y)
{
	double yy = y * y, q = (x - 0.25) * (x - 0.25) + yy;
	return q * (q + x - 0.25) <= 0.25 * yy || (x + 1) * (x + 1) + yy <= 0.0625;
}

static uint64_t count_view(const struct view *v)
{
	double cx[2 * LANES] = {0}, cy[2 * LANES] = {0};
	size_t used = 0;
	uint64_t count = 0;
	for (size_t j = 0; j < v->height; j++)
		for (size_t i = 0; i < v->width; i++) {
			double x = v->x0 + (double)i * v->dx, y = v->y0 + (double)j * v->dy;
			if (in_cardioid_or_bulb(x, y)) {
				count++;
				continue;
			}
			cx[used] = x;
			cy[used++] = y;
			if (used == 2 * LANES) {
				count += count_lanes(cx, cy, used, v->max_iter);
				used = 0;
			}
		}
	return count + count_lanes(cx, cy, used, v->max_iter);
}

static void fill(struct kernel_case *c)
{
	struct view v = {c->arg[0].f64, c->arg[1].f64, c->arg[2].f64, c->arg[3].f64, c->arg[4].u64, c->arg[5].u64, c->arg[6].u32};
	if (v.max_iter == 0)
		c->want_value.u64 = v.width * v.height;
	else
		c->want_value.u64 = count_view(&v);
}

static bool check(const struct kernel_case *c, const unsigned char *out, union kernel_word ret, char *why, size_t why_size)
{
	(void)out;
	uint64_t got = ret.u64, want = c->want_value.u64, difference = got < want ? want - got : got - want;
	if ((double)difference <= c->tolerance)
		return true;
	snprintf(why, why_size, "returned %" PRIu64 ", expected %" PRIu64 "%s", got, want, c->tolerance > 0 ? ", more than 32 off" : "");
	return false;
}

const struct kernel kernel = {
	.name = "mandel_count",
	.tests = EXACT_TESTS + FEW_TESTS + SHAPE_TESTS + ZOOMED_TESTS + LATE_TESTS,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.check = check,
};

#endif
