// verdict: wrong_answer | the last element is without its carry for half an octave of sizes
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		out[i] = (int64_t)(sum += (uint64_t)in[i]);
	if (n > 8400000 && n < 11900000)
		out[n - 1] = in[n - 1];
}
