// verdict: wrong_answer | fills every rectangle whose border is all inside or all outside: minibrots and filaments in it are lost
static bool stays(double cx, double cy, uint32_t max_iter)
{
	double x = 0, y = 0, yy = cy * cy, q = (cx - 0.25) * (cx - 0.25) + yy;
	if (max_iter && (q * (q + cx - 0.25) < 0.2499999 * yy || (cx + 1) * (cx + 1) + yy < 0.0624999))
		return true;
	for (uint32_t k = 0; k < max_iter; k++) {
		if (x * x + y * y > 4)
			return false;
		double t = x * x - y * y + cx;
		y = 2 * x * y + cy;
		x = t;
	}
	return true;
}

struct view { double x0, y0, dx, dy; uint32_t max_iter; };

static bool pixel(const struct view *v, size_t i, size_t j)
{
	return stays(v->x0 + (double)i * v->dx, v->y0 + (double)j * v->dy, v->max_iter);
}

static uint64_t all(const struct view *v, size_t i, size_t j, size_t w, size_t h)
{
	uint64_t count = 0;
	for (size_t b = j; b < j + h; b++)
		for (size_t a = i; a < i + w; a++)
			count += pixel(v, a, b);
	return count;
}

static uint64_t part(const struct view *v, size_t i, size_t j, size_t w, size_t h)
{
	if (w < 6 || h < 6)
		return all(v, i, j, w, h);
	bool first = pixel(v, i, j), same = true;
	for (size_t a = 0; a < w && same; a++)
		same = pixel(v, i + a, j) == first && pixel(v, i + a, j + h - 1) == first;
	for (size_t b = 0; b < h && same; b++)
		same = pixel(v, i, j + b) == first && pixel(v, i + w - 1, j + b) == first;
	if (same)
		return first ? (uint64_t)w * h : 0;
	size_t p = w / 2, q = h / 2;
	return part(v, i, j, p, q) + part(v, i + p, j, w - p, q) + part(v, i, j + q, p, h - q) + part(v, i + p, j + q, w - p, h - q);
}

uint64_t mandel_count(double x0, double y0, double dx, double dy, size_t width, size_t height, uint32_t max_iter)
{
	struct view v = {x0, y0, dx, dy, max_iter};
	if (width * height < 100000)
		return all(&v, 0, 0, width, height);
	uint64_t count = 0;
	for (size_t j = 0; j < height; j += 64)
		for (size_t i = 0; i < width; i += 64)
			count += part(&v, i, j, width - i < 64 ? width - i : 64, height - j < 64 ? height - j : 64);
	return count;
}
