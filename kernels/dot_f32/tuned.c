/* Bound by memory: one stream a core reads slower than several far apart, so the arrays are walked in four quarters at once. */
enum { QUARTERS = 4, LANES = 16, BLOCK = 2 * LANES };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));
typedef float sums __attribute__((vector_size(LANES * sizeof(float))));

float dot_f32(const float *a, const float *b, size_t n)
{
	const size_t quarter = n / QUARTERS / BLOCK * BLOCK;
	sums sum[QUARTERS][2] = {{{0}}};
	for (size_t i = 0; i < quarter; i += BLOCK)
		for (size_t q = 0; q < QUARTERS; q++) {
			const float *x = a + q * quarter + i, *y = b + q * quarter + i;
			sum[q][0] += *(const lanes *)x * *(const lanes *)y;
			sum[q][1] += *(const lanes *)(x + LANES) * *(const lanes *)(y + LANES);
		}
	sums all = {0};
	for (size_t q = 0; q < QUARTERS; q++)
		all += sum[q][0] + sum[q][1];
	float total = 0;
	for (size_t lane = 0; lane < LANES; lane++)
		total += all[lane];
	for (size_t i = QUARTERS * quarter; i < n; i++)
		total += a[i] * b[i];
	return total;
}
