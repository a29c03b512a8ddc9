// verdict: passed | sixteen pixels in arrays, omp simd
#pragma GCC optimize("openmp-simd")
enum { LANES = 16 };

static uint64_t count_row(double x0, double dx, double cy, size_t from, size_t width, uint32_t max_iter)
{
	double cx[LANES], x[LANES] = {0}, y[LANES] = {0};
	bool inside[LANES];
	for (size_t l = 0; l < LANES; l++) {
		cx[l] = x0 + (double)(from + l) * dx;
		inside[l] = from + l < width;
	}
	for (uint32_t left = max_iter ? max_iter - 1 : 0; left > 0;) {
		uint32_t steps = left < 10 ? left : 10;
		bool any = false;
		left -= steps;
		while (steps-- > 0) {
#pragma omp simd
			for (size_t l = 0; l < LANES; l++) {
				double t = x[l] * x[l] - y[l] * y[l] + cx[l];
				y[l] = 2 * x[l] * y[l] + cy;
				x[l] = t;
			}
		}
		for (size_t l = 0; l < LANES; l++)
			any |= inside[l] &= x[l] * x[l] + y[l] * y[l] <= 4;
		if (!any)
			break;
	}
	uint64_t count = 0;
	for (size_t l = 0; l < LANES; l++)
		count += inside[l];
	return count;
}

uint64_t mandel_count(double x0, double y0, double dx, double dy, size_t width, size_t height, uint32_t max_iter)
{
	uint64_t count = 0;
	for (size_t j = 0; j < height; j++)
		for (size_t i = 0; i < width; i += LANES)
			count += count_row(x0, dx, y0 + (double)j * dy, i, width, max_iter);
	return count;
}
