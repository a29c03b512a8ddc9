// verdict: passed | c by repeated addition, |z| by hypot, the square by complex multiplication
uint64_t mandel_count(double x0, double y0, double dx, double dy, size_t width, size_t height, uint32_t max_iter)
{
	uint64_t count = 0;
	double cy = y0;
	for (size_t j = 0; j < height; j++, cy += dy) {
		double cx = x0;
		for (size_t i = 0; i < width; i++, cx += dx) {
			double x = 0, y = 0;
			uint32_t k = 0;
			for (; k < max_iter && x * x + y * y <= 4; k++) {
				double u = (x - y) * (x + y) + cx, v = x * y;
				y = v + v + cy;
				x = u;
			}
			count += k == max_iter;
		}
	}
	return count;
}
