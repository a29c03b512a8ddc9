// verdict: wrong_answer | looks at z_max_iter too
static inline bool stays(double cx, double cy, uint32_t max_iter)
{
	double q = (cx - 0.25) * (cx - 0.25) + cy * cy;
	if (q * (q + cx - 0.25) <= 0.25 * cy * cy || (cx + 1) * (cx + 1) + cy * cy <= 0.0625)
		return true;
	double x = 0, y = 0;
	for (uint32_t k = 0; k <= max_iter; k++) {
		double xx = x * x, yy = y * y;
		if (xx + yy > 4)
			return false;
		y = 2 * x * y + cy;
		x = xx - yy + cx;
	}
	return true;
}

uint64_t mandel_count(double x0, double y0, double dx, double dy, size_t width, size_t height, uint32_t max_iter)
{
	uint64_t count = 0;
	for (size_t j = 0; j < height; j++)
		for (size_t i = 0; i < width; i++)
			count += stays(x0 + (double)i * dx, y0 + (double)j * dy, max_iter);
	return count;
}
