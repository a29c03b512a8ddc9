/* Bound by memory; eight elements a step keep the chain of additions at one addition for eight elements. */
enum { STEP = 8 };

void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	const uint64_t *x = (const uint64_t *)in;
	uint64_t *y = (uint64_t *)out, carry = 0;
	size_t i = 0;
	for (; i + STEP <= n; i += STEP) {
		uint64_t sum[STEP];
		sum[0] = x[i];
		for (size_t k = 1; k < STEP; k++)
			sum[k] = sum[k - 1] + x[i + k];
		for (size_t k = 0; k < STEP; k++)
			y[i + k] = carry + sum[k];
		carry += sum[STEP - 1];
	}
	for (; i < n; i++)
		y[i] = carry += x[i];
}
