/* mandel_count: views whose every pixel is robust, so that small tests are exact, and the benchmark's.

   A pixel's fate may not depend on how an answer rounds: every small view is surveyed with error bounds when it is made, and made anew until it
   is robust.  The benchmark's views are too large for that and get a tolerance.

   What the benchmark's views have that others lack, and what is done about it:
   - A view of the whole set is one picture, moved a little: what a method that looks at some of the pixels and fills the rest gets wrong is nearly the
     same for all of them (100 pixels, give or take 8, where rectangles with a uniform border are filled), so that it can be put right by a constant.
     The benchmark therefore looks at the border of the set, at a place and a scale that are new for every call: filaments and minibrots are larger
     than a pixel there.  In 1100 views filling erred by 195 pixels (56 to 565, a deviation of 82), every second pixel of every second row, with the others
     looked at where its neighbours differ, by 80 (deviation 21), every fourth by 85 (35), every second row times two by 320 (117): no constant puts a
     grading's calls right.  Half of the pixels as on a chessboard, with the others looked at where they may differ, err by 30 (12): mostly more than
     32 in some call, but a constant would do, since half of the dust of small copies is known then.  Two honest orders differ by 7, and a third
     from the mean of the two by 5, at most 17.
   - A survey of the plane kept from an earlier call, with steps of a third of a pixel, errs by 5 (8): by more than 32 in one of 230 calls, so that one
     grading in ten or so finds it wrong; its speed is that of its first call, which makes the survey, in all.  Wider views (0.9 to 1.6, 1 to 2, 1.4 to
     2.2) do not help it, as it misses 10 pixels wherever it is used, while they make chessboards and rows right without any constant (nine views of ten
     instead of six); smaller ones (0.4 to 0.65) make it wrong in one call of thirty.
     What is right by theory stays allowed: the cardioid and the disc, orbits that return, distance bounds, rectangles whose border stays (the set has
     no holes; it is off by 10 pixels at most).
   - A quarter of the pixels stays, and a fifth is in the cardioid and the disc, as in the whole set, so that one view costs as much as another.
   - Pixels whose fate is decided by rounding are few: they are counted in two orders of operations, and another view is taken where they are many.
     Smaller views have more of them, which is why the benchmark's are no smaller.
   - Views lie above the real axis: no row mirrors another one.  Small tests have rows on both sides, and steps of both signs.
   - Width, height and max_iter are fixed: all others are tested in small views, and a check at the benchmark's size has other ones. */
#include "kernel.h"

#ifdef KERNEL_STUB

uint64_t mandel_count(double x0, double y0, double dx, double dy, size_t width, size_t height, uint32_t max_iter);

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)in0, (void)in1, (void)out;
	ret->u64 = mandel_count(arg[0].f64, arg[1].f64, arg[2].f64, arg[3].f64, arg[4].u64, arg[5].u64, arg[6].u32);
}

#else

#include "sizes.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

static struct view whole_view(size_t width, size_t height, uint32_t max_iter)
{
	struct view v = {.width = width, .height = height, .max_iter = max_iter};
	v.x0 = between(-2.05, -1.95);
	v.y0 = between(0.01, 0.03);
	v.dx = between(2.55, 2.65) / (double)(width ? width : 1);
	v.dy = between(1.2, 1.25) / (double)(height ? height : 1);
	return v;
}

/* The whole set above, below or on both sides of the real axis, from any corner on. */
static struct view any_whole_view(size_t width, size_t height, uint32_t max_iter)
{
	struct view v = whole_view(width, height, max_iter);
	const uint64_t bits = kernel_random();
	if (bits % 8 == 0) {
		v.y0 = between(-1.25, -1.15);
		v.dy *= between(1.8, 2);
	}
	if (bits & 8) {
		v.y0 = -v.y0;
		v.dy = -v.dy;
	}
	if (bits & 16) {
		v.x0 += (double)width * v.dx;
		v.dx = -v.dx;
	}
	if (bits & 32) {
		v.y0 += (double)height * v.dy;
		v.dy = -v.dy;
	}
	return v;
}

static struct view robust_whole_view(size_t width, size_t height, uint32_t max_iter)
{
	for (;;) {
		struct view v = any_whole_view(width, height, max_iter);
		if (survey(&v).robust)
			return v;
	}
}

/* From within the disc to within the cardioid, above or below the real axis, from any corner on: pixels of the first and the last row and column count,
   so that one row or column too few or too many shows, and others leave. */
static struct view any_part_view(size_t width, size_t height, uint32_t max_iter)
{
	struct view v = {.width = width, .height = height, .max_iter = max_iter, .x0 = between(-1.15, -0.9), .y0 = between(0.02, 0.1)};
	const uint64_t bits = kernel_random();
	v.dx = (between(-0.3, 0.15) - v.x0) / (double)(width > 1 ? width - 1 : 1);
	v.dy = (between(0.25, 0.45) - v.y0) / (double)(height > 1 ? height - 1 : 1);
	if (bits & 1) {
		v.y0 = -v.y0;
		v.dy = -v.dy;
	}
	if (bits & 2) {
		v.x0 += (double)(width ? width - 1 : 0) * v.dx;
		v.dx = -v.dx;
	}
	if (bits & 4) {
		v.y0 += (double)(height ? height - 1 : 0) * v.dy;
		v.dy = -v.dy;
	}
	return v;
}

static struct view robust_part_view(size_t width, size_t height, uint32_t max_iter)
{
	for (;;) {
		struct view v = any_part_view(width, height, max_iter);
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
		v.y0 = near * between(0.5, 1) / max_iter; /* small enough for the orbit to leave past 1/2, not to come round again */
		v.dy = near * between(0.5, 1) / max_iter;
		struct survey s = survey(&v);
		if (s.robust && s.late > width * height / 4 && s.counted > 0)
			return v;
	}
}

/* The distance from the cusp at which a point just above the real axis leaves at iteration `leaves`. */
static double distance_that_leaves(uint32_t leaves, double y)
{
	double distance = pow(M_PI / (leaves + 2.0), 2);
	for (;;) {
		uint32_t at = 2 * leaves;
		fate_of(0.25 + distance, y, 2 * leaves, &at);
		if (at == leaves)
			return distance;
		distance *= pow((at + 2.0) / (leaves + 2.0) + between(-0.1, 0.1) / leaves, 2);
	}
}

/* Two pixels, of which one leaves just after the last iteration and one at it: with one iteration more or less the count is another, and with a lower
   limit, too. */
static struct view last_view(uint32_t max_iter)
{
	for (;;) {
		struct view v = {.width = 2, .height = 1, .max_iter = max_iter, .dy = between(-1, 1)};
		v.y0 = between(0.2, 1) * pow(M_PI / max_iter, 2) / max_iter; /* see late_view() */
		const double counts = distance_that_leaves(max_iter, v.y0), leaves = distance_that_leaves(max_iter - 1, v.y0);
		const bool forwards = kernel_random_below(2);
		v.x0 = 0.25 + (forwards ? counts : leaves);
		v.dx = forwards ? leaves - counts : counts - leaves;
		const struct survey s = survey(&v);
		if (s.robust && s.counted == 1)
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
static const struct {
	size_t width, height;
} SHAPES[] = {
	{37, 26}, {26, 37}, {3, 5}, {5, 3}, {7, 2}, {8, 3}, {9, 4}, {15, 7}, {16, 5}, {17, 6}, {31, 3}, {33, 5}, {63, 2}, {65, 3}, {1, 100}, {100, 1}, {23, 40},
};
enum {
	LONGEST = 1024, /* the benchmark's width and height */
	MOST_ITERATIONS = 5000,
	MODULUS = 64,
	FEW_ITERATIONS = 100, /* up to so many in views of the whole set, where those that leave do so soon */
	EXACT_TESTS = sizeof EXACT / sizeof *EXACT,
	SHAPE_TESTS = sizeof SHAPES / sizeof *SHAPES,
	EQUAL_TESTS = 16,
	SQUARES = 32,
	ZOOMED_TESTS = 10,
	LATE_WIDE_TESTS = 4,
	LONG_WIDE_TESTS = 8,
};

enum kind { EXACTLY, WHOLE, PART, ZOOMED, LATE, LAST, BORDER, LARGE_WHOLE };
static const char *const KIND_NOTES[] = {
	[EXACTLY] = "exact orbits", [WHOLE] = "the whole set", [PART] = "from the disc to the cardioid", [ZOOMED] = "steps below 1e-9",
	[LATE] = "many pixels leave in the last tenth", [LAST] = "a pixel leaves at the last iteration", [BORDER] = "at the border of the set",
	[LARGE_WHOLE] = "the whole set, large",
};

/* The view's place is fill()'s: it takes long to find a robust one. */
static void shape(struct kernel_case *c, size_t width, size_t height, uint32_t max_iter, enum kind kind)
{
	c->arg[4].u64 = width;
	c->arg[5].u64 = height;
	c->arg[6].u32 = max_iter;
	c->units = (double)width * (double)height;
	c->kind = kind;
	c->content = KIND_NOTES[kind];
	c->tolerance = kind == BORDER || kind == LARGE_WHOLE ? 32 : 0;
	snprintf(c->note, sizeof c->note, "%zu x %zu, max_iter = %" PRIu32 ", %s", width, height, max_iter, KIND_NOTES[kind]);
}

static void place(struct kernel_case *c, const struct view *v)
{
	c->arg[0].f64 = v->x0;
	c->arg[1].f64 = v->y0;
	c->arg[2].f64 = v->dx;
	c->arg[3].f64 = v->dy;
}

static void shape_exact(struct kernel_case *c, const struct view *v)
{
	shape(c, v->width, v->height, v->max_iter, EXACTLY);
	place(c, v);
	snprintf(c->note, sizeof c->note, "%zu x %zu, max_iter = %" PRIu32 ", c = %g%+gi, steps %g, %g", v->width, v->height, v->max_iter, v->x0, v->y0, v->dx, v->dy);
}

/* ---------- the small tests of one grading ---------- */
struct test {
	size_t width, height;
	uint32_t max_iter;
	enum kind kind;
	size_t exact; /* of EXACTLY: which one */
};
enum { TESTS_MAX = 4096 };
static struct test tests[TESTS_MAX];
static size_t test_count;

static void add_test(size_t width, size_t height, size_t max_iter, enum kind kind)
{
	if (test_count == TESTS_MAX)
		abort();
	tests[test_count++] = (struct test){.width = width, .height = height, .max_iter = (uint32_t)max_iter, .kind = kind};
}

static size_t from_to(size_t low, size_t high)
{
	return low + kernel_random_below(high - low + 1);
}

/* Every width and every height with a small other side. */
static void plan_sides(size_t longest)
{
	static struct sizes sides;
	sizes_small(&sides, MODULUS, 4, longest);
	for (size_t i = 0; i < 2 * sides.count; i++) {
		const size_t side = sides.size[i / 2], other = from_to(1, side > SIZES_DENSE ? 2 : 5);
		add_test(i % 2 ? other : side, i % 2 ? side : other, from_to(5, side > SIZES_DENSE ? 20 : 60), PART);
	}
}

/* Every max_iter, most of them on a view where one more or one less, or a limit below it, changes the count. */
static void plan_iterations(void)
{
	static struct sizes iterations;
	sizes_small(&iterations, MODULUS, 4, MOST_ITERATIONS);
	for (size_t i = 0; i < iterations.count; i++) {
		if (iterations.size[i] <= FEW_ITERATIONS)
			add_test(from_to(3, 20), from_to(3, 20), iterations.size[i], WHOLE);
		if (iterations.size[i] >= 8)
			add_test(2, 1, iterations.size[i], LAST);
	}
	for (size_t i = 0; i < LATE_WIDE_TESTS; i++)
		add_test(i ? 41 : LONGEST, i ? 3 : 2, 1000, LATE);
	for (size_t i = 0; i < LONG_WIDE_TESTS; i++) /* and views wider than a vector for every magnitude of max_iter, up to the largest */
		add_test(from_to(17, 60), from_to(1, 3), from_to(MOST_ITERATIONS * (i + 1) / (LONG_WIDE_TESTS + 1), MOST_ITERATIONS * (i + 2) / (LONG_WIDE_TESTS + 1)), LATE);
}

/* width = height, width = max_iter, height = max_iter, and all three equal; all small squares; multiples */
static void plan_equal(void)
{
	for (size_t side = 1; side <= SQUARES; side++)
		add_test(side, side, from_to(1, 40), WHOLE);
	for (size_t i = 0; i < EQUAL_TESTS; i++) {
		const size_t side = from_to(2, 26), other = from_to(2, 26);
		add_test(i % 4 == 2 ? other : side, i % 4 == 1 ? other : side, i % 4 ? side : 100 + other, WHOLE);
	}
	for (size_t i = 0; i < 8; i++) { /* one side is a multiple of the other */
		const size_t times = (size_t[]){2, 3, 4, 8}[i / 2], side = from_to(2, 12);
		add_test(i % 2 ? times * side : side, i % 2 ? side : times * side, from_to(5, 60), WHOLE);
	}
	for (size_t i = 0; i < 2; i++) /* both sides are large */
		add_test(from_to(SIZES_DENSE + 1, 300), from_to(SIZES_DENSE + 1, 300), from_to(5, 12), PART);
	for (size_t i = 0; i < 27; i++) { /* and one off */
		const size_t side = from_to(2, 26);
		add_test(side + i % 3, side + i / 3 % 3, side + i / 9, WHOLE);
	}
}

static size_t plan(size_t size)
{
	test_count = 0;
	for (size_t i = 0; i < EXACT_TESTS; i++) {
		add_test(EXACT[i].width, EXACT[i].height, EXACT[i].max_iter, EXACTLY);
		tests[test_count - 1].exact = i;
	}
	plan_sides(size < LONGEST ? size : LONGEST);
	plan_equal();
	for (size_t i = 0; i < SHAPE_TESTS; i++)
		add_test(SHAPES[i].width, SHAPES[i].height, from_to(100, 300), WHOLE);
	for (size_t i = 0; i < ZOOMED_TESTS; i++)
		add_test(19 + i, 13, from_to(150, 250), ZOOMED);
	plan_iterations();
	return test_count;
}

static void shape_test(size_t index, struct kernel_case *c)
{
	const struct test *t = &tests[index];
	if (t->kind == EXACTLY)
		shape_exact(c, &EXACT[t->exact]);
	else
		shape(c, t->width, t->height, t->max_iter, t->kind);
}

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	if (variant == 0)
		shape(c, size, size, 1000, BORDER);
	else /* sides that are no multiple of anything, and a max_iter that the timed calls do not have */
		shape(c, size - 3 - kernel_random_below(size / 64 + 1), size / 2 - 1 - kernel_random_below(size / 64 + 1), 1001 + (uint32_t)kernel_random_below(1000), LARGE_WHOLE);
}

typedef double lanes __attribute__((vector_size(64)));
typedef int64_t masks __attribute__((vector_size(64)));
enum { LANES = 8, BETWEEN_LOOKS = 8 };

/* One iteration; `factored` is another order of operations, which rounds otherwise whether there is an FMA or not. */
static inline __attribute__((always_inline)) void step(lanes *x, lanes *y, lanes cx, lanes cy, bool factored)
{
	const lanes t = factored ? (*x - *y) * (*x + *y) + cx : cx + *x * *x - *y * *y;
	*y = (*x + *x) * *y + cy;
	*x = t;
}

/* Which of up to 2 * LANES points stay, a bit each.  They are looked at now and then: who is outside once never comes back,
   and who is exactly where it was before stays for ever. */
static inline __attribute__((always_inline)) unsigned who_stays(const double *cx, const double *cy, size_t used, uint32_t max_iter, bool factored)
{
	lanes x[2] = {{0}, {0}}, y[2] = {{0}, {0}}, a[2], b[2];
	masks stays[2] = {{0}, {0}};
	memcpy(a, cx, sizeof a);
	memcpy(b, cy, sizeof b);
	for (size_t i = 0; i < used; i++)
		stays[i / LANES][i % LANES] = -1;
	lanes old_x[2] = {{0}, {0}}, old_y[2] = {{0}, {0}};
	masks returned[2] = {{0}, {0}};
	uint32_t done = 0, renew = 4 * BETWEEN_LOOKS;
	while (done < max_iter - 1) {
		uint32_t steps = max_iter - 1 - done < BETWEEN_LOOKS ? max_iter - 1 - done : BETWEEN_LOOKS;
		done += steps;
		while (steps-- > 0)
			for (unsigned g = 0; g < 2; g++)
				step(&x[g], &y[g], a[g], b[g], factored);
		masks any = {0};
		for (unsigned g = 0; g < 2; g++) {
			stays[g] &= x[g] * x[g] + y[g] * y[g] <= 4;
			returned[g] |= (x[g] == old_x[g]) & (y[g] == old_y[g]);
			any |= stays[g] & ~returned[g];
		}
		if (!(any[0] | any[1] | any[2] | any[3] | any[4] | any[5] | any[6] | any[7]))
			break;
		if (done >= renew) {
			renew += renew / 2;
			memcpy(old_x, x, sizeof old_x);
			memcpy(old_y, y, sizeof old_y);
		}
	}
	unsigned bits = 0;
	for (size_t i = 0; i < used; i++)
		bits |= (unsigned)(stays[i / LANES][i % LANES] != 0) << i;
	return bits;
}

static unsigned stay_plainly(const double *cx, const double *cy, size_t used, uint32_t max_iter)
{
	return who_stays(cx, cy, used, max_iter, false);
}

static unsigned stay_factored(const double *cx, const double *cy, size_t used, uint32_t max_iter)
{
	return who_stays(cx, cy, used, max_iter, true);
}

static bool in_cardioid_or_bulb(double x, double y)
{
	double yy = y * y, q = (x - 0.25) * (x - 0.25) + yy;
	return q * (q + x - 0.25) <= 0.25 * yy || (x + 1) * (x + 1) + yy <= 0.0625;
}

struct tally {
	uint64_t known;                      /* in the cardioid or the disc */
	uint64_t counted, counted_otherwise; /* pixels that stay, in two orders of operations */
	uint64_t doubtful;                   /* pixels whose fate the two disagree about */
};

/* Points that wait for each other, to be iterated together: c as x0 + i dx, and by repeated addition, which is as far off as honest answers are. */
struct points {
	double cx[2 * LANES], cy[2 * LANES], added_cx[2 * LANES], added_cy[2 * LANES];
	size_t used;
};

static bool is_full(const struct points *p)
{
	return p->used == 2 * LANES;
}

static void copy_point(struct points *to, const struct points *from, size_t i)
{
	to->cx[to->used] = from->cx[i];
	to->cy[to->used] = from->cy[i];
	to->added_cx[to->used] = from->added_cx[i];
	to->added_cy[to->used++] = from->added_cy[i];
}

static void tally_points(struct tally *sum, struct points *p, uint32_t max_iter, bool twice)
{
	const unsigned plain = stay_plainly(p->cx, p->cy, p->used, max_iter);
	const unsigned other = twice ? stay_factored(p->added_cx, p->added_cy, p->used, max_iter) : plain;
	sum->counted += (unsigned)__builtin_popcount(plain);
	sum->counted_otherwise += (unsigned)__builtin_popcount(other);
	sum->doubtful += (unsigned)__builtin_popcount(plain ^ other);
	p->used = 0;
}

/* Those that are inside after a few iterations are gathered, for all of them: nobody leaves so early by a rounding error. */
static void sift_points(struct tally *sum, struct points *p, struct points *late, uint32_t max_iter, bool twice)
{
	enum { FEW = 33 };
	const unsigned stay = max_iter > FEW ? stay_plainly(p->cx, p->cy, p->used, FEW) : ~0u;
	for (size_t i = 0; i < p->used; i++)
		if (stay >> i & 1) {
			copy_point(late, p, i);
			if (is_full(late))
				tally_points(sum, late, max_iter, twice);
		}
	p->used = 0;
}

/* max_iter > 0 */
static struct tally tally_view(const struct view *v, bool twice)
{
	struct points p = {.used = 0}, late = {.used = 0};
	struct tally sum = {0};
	double added_y = v->y0;
	for (size_t j = 0; j < v->height; j++, added_y += v->dy) {
		double added_x = v->x0;
		for (size_t i = 0; i < v->width; i++, added_x += v->dx) {
			double x = v->x0 + (double)i * v->dx, y = v->y0 + (double)j * v->dy;
			if (in_cardioid_or_bulb(x, y)) {
				sum.known++;
				continue;
			}
			p.cx[p.used] = x;
			p.cy[p.used] = y;
			p.added_cx[p.used] = added_x;
			p.added_cy[p.used++] = added_y;
			if (is_full(&p))
				sift_points(&sum, &p, &late, v->max_iter, twice);
		}
	}
	sift_points(&sum, &p, &late, v->max_iter, twice);
	tally_points(&sum, &late, v->max_iter, twice);
	sum.counted += sum.known;
	sum.counted_otherwise += sum.known;
	return sum;
}

static struct view coarser(const struct view *v, size_t side)
{
	struct view p = *v;
	p.width = p.height = side;
	p.dx *= (double)v->width / (double)side;
	p.dy *= (double)v->height / (double)side;
	return p;
}

/* Shares of all pixels that make a view cost as much as another, in a coarse picture. */
static bool has_usual_shares(const struct view *v, size_t side, double slack)
{
	static const double COUNTED_LOW = 0.22, COUNTED_HIGH = 0.28, KNOWN_LOW = 0.13, KNOWN_HIGH = 0.23;
	const struct view coarse = coarser(v, side);
	const struct tally shares = tally_view(&coarse, false);
	const double pixels = (double)(side * side), counted = (double)shares.counted / pixels, known = (double)shares.known / pixels;
	return counted > COUNTED_LOW - slack && counted < COUNTED_HIGH + slack && known > KNOWN_LOW - slack && known < KNOWN_HIGH + slack;
}

/* Two honest answers disagree about as many pixels as the two orders of operations do, up or down by chance: by the root of it.  The mean of the two is
   nearer to any third one, so that 32 are five times what is to be expected of 50, which is what so many of a quarter of the pixels stand for. */
static bool has_few_doubtful(const struct view *v)
{
	enum { SIDE = 512, DOUBTFUL_MOST = 12 };
	const struct view coarse = coarser(v, SIDE);
	return v->width < SIDE || tally_view(&coarse, true).doubtful <= DOUBTFUL_MOST;
}

static bool is_usual(const struct view *v)
{
	return has_usual_shares(v, 24, 0.03) && has_usual_shares(v, 128, 0) && has_few_doubtful(v);
}

/* 0.58 to 1 wide, above the real axis, the border through its middle third. */
static struct view border_view(size_t width, size_t height, uint32_t max_iter)
{
	for (;;) {
		struct view v = {.width = width, .height = height, .max_iter = max_iter};
		const double wide = exp(between(log(0.58), log(1))), high = wide * between(0.8, 1.2);
		double x, y;
		find_border(max_iter, wide / 50, &x, &y);
		v.x0 = x - wide * between(0.3, 0.7);
		v.y0 = y - high * between(0.3, 0.7);
		v.dx = wide / (double)width;
		v.dy = high / (double)height;
		if (v.y0 > 0.003 && is_usual(&v))
			return v;
	}
}

static void fill_large(struct kernel_case *c, size_t width, size_t height, uint32_t max_iter)
{
	const struct view v = c->kind == BORDER ? border_view(width, height, max_iter) : whole_view(width, height, max_iter);
	const struct tally sum = tally_view(&v, true);
	place(c, &v);
	c->want_value.u64 = (sum.counted + sum.counted_otherwise) / 2;
}

static void fill(struct kernel_case *c)
{
	const size_t width = c->arg[4].u64, height = c->arg[5].u64;
	const uint32_t max_iter = c->arg[6].u32;
	struct view v = {c->arg[0].f64, c->arg[1].f64, c->arg[2].f64, c->arg[3].f64, width, height, max_iter};
	switch ((enum kind)c->kind) {
	case EXACTLY: break;
	case WHOLE: v = robust_whole_view(width, height, max_iter); break;
	case PART: v = robust_part_view(width, height, max_iter); break;
	case LAST: v = last_view(max_iter); break;
	case ZOOMED: v = zoomed_view(width, height, max_iter); break;
	case LATE: v = late_view(width, height, max_iter); break;
	case BORDER:
	case LARGE_WHOLE: fill_large(c, width, height, max_iter); return;
	}
	place(c, &v);
	c->want_value.u64 = max_iter ? tally_view(&v, false).counted : width * height;
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
	.args = {{"x0", KERNEL_F64}, {"y0", KERNEL_F64}, {"dx", KERNEL_F64}, {"dy", KERNEL_F64}, {"width", KERNEL_U64}, {"height", KERNEL_U64}, {"max_iter", KERNEL_U32}},
	.plan = plan,
	.extra_checks = 1,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.check = check,
};

#endif
