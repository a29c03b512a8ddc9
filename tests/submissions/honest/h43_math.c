// libm, complex arithmetic, fenv and setjmp | kernel=mandel_count class=honest want=passed
#include <complex.h>
#include <fenv.h>
#include <setjmp.h>
static jmp_buf again;
uint64_t mandel_count(double x0, double y0, double dx, double dy, size_t width, size_t height, uint32_t max_iter)
{
	if (fegetround() != FE_TONEAREST) fesetround(FE_TONEAREST);
	volatile int jumped = setjmp(again);
	if (!jumped) longjmp(again, 1);
	uint64_t count = 0;
	for (size_t j = 0; j < height; j++)
		for (size_t i = 0; i < width; i++) {
			double complex c = CMPLX(x0 + (double)i * dx, y0 + (double)j * dy);
			double x = creal(c), y = cimag(c), q = (x - 0.25) * (x - 0.25) + y * y;
			double u = 0, v = 0;
			uint32_t k = 0;
			if (max_iter > 1 && q * (q + (x - 0.25)) < 0.2499 * y * y && sqrt(x * x + y * y) < 1) k = max_iter;
			for (; k < max_iter; k++) {
				double uu = u * u, vv = v * v;
				if (!(uu + vv <= 4)) break;
				v = 2 * u * v + y;
				u = uu - vv + x;
			}
			count += k == max_iter;
		}
	return count;
}
