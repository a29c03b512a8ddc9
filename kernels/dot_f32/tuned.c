/* Bound by memory: a core reads one stream slower than several far apart, so both arrays are walked in six parts at once, each fetched a little ahead
   (the hardware's own prefetching ends at every page). */
enum { PARTS = 6, LANES = 16, BLOCK = 2 * LANES, AHEAD = 2 * BLOCK };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef float unaligned_lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

float dot_f32(const float *a, const float *b, size_t n)
{
	const size_t part = n / PARTS / BLOCK * BLOCK;
	lanes sum[PARTS][2] = {{{0}}}, all = {0};
	for (size_t i = 0; i < part; i += BLOCK)
		for (size_t p = 0; p < PARTS; p++)
			for (size_t half = 0; half < 2; half++) {
				const float *x = a + p * part + i + half * LANES, *y = b + p * part + i + half * LANES;
				__builtin_prefetch(x + AHEAD);
				__builtin_prefetch(y + AHEAD);
				sum[p][half] += *(const unaligned_lanes *)x * *(const unaligned_lanes *)y;
			}
	for (size_t p = 0; p < PARTS; p++)
		all += sum[p][0] + sum[p][1];
	float total = 0;
	for (size_t lane = 0; lane < LANES; lane++)
		total += all[lane];
	for (size_t i = PARTS * part; i < n; i++)
		total += a[i] * b[i];
	return total;
}
