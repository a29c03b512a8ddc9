/* Pixels in the main cardioid and the disc left of it are known to stay.  The others are iterated in vectors: all of them for a few
   iterations, in the order of the rows; those still inside, gathered, for the rest, unless their orbit is found to be periodic. */
enum { LANES = __BIGGEST_ALIGNMENT__ / 8, GROUPS = 4, BATCH = LANES * GROUPS, FIRST_STEPS = 24, STEPS_BETWEEN_LOOKS = 8 };
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t masks __attribute__((vector_size(8 * LANES)));

/* BATCH points and their orbits */
struct batch {
	lanes cx[GROUPS], cy[GROUPS], x[GROUPS], y[GROUPS];
	masks inside[GROUPS]; /* -1: has not left yet */
};

static inline bool any(const masks *m)
{
	masks all = m[0];
	for (unsigned g = 1; g < GROUPS; g++)
		all |= m[g];
	int64_t word = 0;
	for (unsigned k = 0; k < LANES; k++)
		word |= all[k];
	return word != 0;
}

/* Whoever left never comes back, so that looking once after several steps is enough. */
static inline void iterate(struct batch *z, uint32_t steps)
{
	lanes cx[GROUPS], cy[GROUPS], x[GROUPS], y[GROUPS];
	memcpy(cx, z->cx, sizeof cx);
	memcpy(cy, z->cy, sizeof cy);
	memcpy(x, z->x, sizeof x);
	memcpy(y, z->y, sizeof y);
	for (; steps > 0; steps--) {
#pragma GCC unroll 4
		for (unsigned g = 0; g < GROUPS; g++) {
			lanes t = cx[g] - y[g] * y[g];
			y[g] = (x[g] + x[g]) * y[g] + cy[g];
			x[g] = x[g] * x[g] + t;
		}
	}
#pragma GCC unroll 4
	for (unsigned g = 0; g < GROUPS; g++) {
		z->x[g] = x[g];
		z->y[g] = y[g];
		z->inside[g] &= x[g] * x[g] + y[g] * y[g] <= 4;
	}
}

static inline masks in_cardioid_or_disc(lanes x, lanes y)
{
	lanes yy = y * y, q = (x - 0.25) * (x - 0.25) + yy;
	return (q * (q + (x - 0.25)) <= 0.25 * yy) | ((x + 1) * (x + 1) + yy <= 0.0625);
}

/* Points that are still inside after `done` steps */
struct queue {
	uint32_t done, max_steps;
	uint64_t stayed;
	unsigned used;
	double cx[2 * BATCH], cy[2 * BATCH], x[2 * BATCH], y[2 * BATCH];
};

/* An orbit that returns exactly to where it was goes on for ever: it is compared with a point that is renewed at doubling distances. */
static uint64_t count_staying(struct batch *z, uint32_t done, uint32_t max_steps)
{
	uint64_t periodic = 0;
	uint32_t renew = done + 2 * STEPS_BETWEEN_LOOKS;
	lanes old_x[GROUPS], old_y[GROUPS];
	memcpy(old_x, z->x, sizeof old_x);
	memcpy(old_y, z->y, sizeof old_y);
	while (done < max_steps && any(z->inside)) {
		uint32_t steps = max_steps - done < STEPS_BETWEEN_LOOKS ? max_steps - done : STEPS_BETWEEN_LOOKS;
		iterate(z, steps);
		done += steps;
		masks returned[GROUPS];
		for (unsigned g = 0; g < GROUPS; g++)
			returned[g] = z->inside[g] & (z->x[g] == old_x[g]) & (z->y[g] == old_y[g]);
		if (any(returned))
			for (unsigned g = 0; g < GROUPS; g++) {
				z->inside[g] &= ~returned[g];
				for (unsigned k = 0; k < LANES; k++)
					periodic += returned[g][k] != 0;
			}
		if (done >= renew) {
			renew += renew / 2;
			memcpy(old_x, z->x, sizeof old_x);
			memcpy(old_y, z->y, sizeof old_y);
		}
	}
	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned k = 0; k < LANES; k++)
			periodic += z->inside[g][k] != 0;
	return periodic;
}

/* Takes up to BATCH points off the end. */
static void work_off(struct queue *q)
{
	struct batch z;
	int64_t inside[BATCH];
	unsigned size = q->used < BATCH ? q->used : BATCH;
	q->used -= size;
	memcpy(z.cx, q->cx + q->used, sizeof z.cx);
	memcpy(z.cy, q->cy + q->used, sizeof z.cy);
	memcpy(z.x, q->x + q->used, sizeof z.x);
	memcpy(z.y, q->y + q->used, sizeof z.y);
	for (unsigned i = 0; i < BATCH; i++)
		inside[i] = -(int64_t)(i < size);
	memcpy(z.inside, inside, sizeof inside);
	q->stayed += count_staying(&z, q->done, q->max_steps);
}

/* The pixels from `first` on in the row at y: up to BATCH of them */
static void add_pixels(struct queue *q, double x0, double dx, double y, size_t first, size_t width)
{
	struct batch z;
	masks known[GROUPS];
	double cx[BATCH];
	int64_t inside[BATCH];
	for (unsigned i = 0; i < BATCH; i++) {
		cx[i] = x0 + (double)(int64_t)(first + i) * dx;
		inside[i] = -(int64_t)(first + i < width);
	}
	memcpy(z.cx, cx, sizeof cx);
	memcpy(z.inside, inside, sizeof inside);
	for (unsigned g = 0; g < GROUPS; g++) {
		z.cy[g] = (lanes){0} + y;
		z.x[g] = z.y[g] = (lanes){0};
		known[g] = z.inside[g] & in_cardioid_or_disc(z.cx[g], z.cy[g]);
		z.inside[g] &= ~known[g];
	}
	if (any(known))
		for (unsigned i = 0; i < BATCH; i++)
			q->stayed += known[i / LANES][i % LANES] != 0;
	for (uint32_t done = 0; done < q->done && any(z.inside); done += STEPS_BETWEEN_LOOKS)
		iterate(&z, q->done - done < STEPS_BETWEEN_LOOKS ? q->done - done : STEPS_BETWEEN_LOOKS);
	if (!any(z.inside))
		return;
	for (unsigned i = 0; i < BATCH; i++) {
		if (!z.inside[i / LANES][i % LANES])
			continue;
		q->cx[q->used] = z.cx[i / LANES][i % LANES];
		q->cy[q->used] = z.cy[i / LANES][i % LANES];
		q->x[q->used] = z.x[i / LANES][i % LANES];
		q->y[q->used++] = z.y[i / LANES][i % LANES];
	}
	if (q->used >= BATCH)
		work_off(q);
}

uint64_t mandel_count(double x0, double y0, double dx, double dy, size_t width, size_t height, uint32_t max_iter)
{
	struct queue q = {.max_steps = max_iter ? max_iter - 1 : 0}; /* z_0 needs none */
	q.done = q.max_steps < FIRST_STEPS ? q.max_steps : FIRST_STEPS;
	if (max_iter == 0)
		return (uint64_t)width * height;
	for (size_t j = 0; j < height; j++)
		for (size_t i = 0; i < width; i += BATCH)
			add_pixels(&q, x0, dx, y0 + (double)j * dy, i, width);
	while (q.used > 0)
		work_off(&q);
	return q.stayed;
}
