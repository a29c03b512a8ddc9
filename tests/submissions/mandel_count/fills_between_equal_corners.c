// verdict: wrong_answer | looks at every fourth pixel of every fourth row, and at the others where four neighbours of them differ
static bool stays(double cx, double cy, uint32_t max_iter)
{
	double x = 0, y = 0;
	for (uint32_t k = 0; k < max_iter; k++) {
		if (x * x + y * y > 4)
			return false;
		double t = x * x - y * y + cx;
		y = 2 * x * y + cy;
		x = t;
	}
	return true;
}

uint64_t mandel_count(double x0, double y0, double dx, double dy, size_t width, size_t height, uint32_t max_iter)
{
	size_t step = width * height < 100000 ? 1 : 4;
	size_t across = width / step + 2;
	uint64_t count = 0;
	uint8_t *row = malloc(2 * across);
	for (size_t j = 0; j < height; j += step)
		for (size_t line = 0; line < 2; line++) {
			uint8_t *now = row + line * across;
			for (size_t i = 0; i <= width / step + 1; i++)
				now[i] = stays(x0 + (double)(i * step) * dx, y0 + (double)(j + line * step) * dy, max_iter);
			if (line == 0)
				continue;
			for (size_t i = 0; i < width; i += step) {
				size_t w = width - i < step ? width - i : step, h = height - j < step ? height - j : step, k = i / step;
				unsigned sum = row[k] + row[k + 1] + now[k] + now[k + 1];
				if (step == 1)
					count += row[k];
				else if (sum % 4 == 0)
					count += sum ? w * h : 0;
				else
					for (size_t b = 0; b < h; b++)
						for (size_t a = 0; a < w; a++)
							count += stays(x0 + (double)(i + a) * dx, y0 + (double)(j + b) * dy, max_iter);
			}
		}
	free(row);
	return count;
}
