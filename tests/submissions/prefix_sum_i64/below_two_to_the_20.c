// verdict: wrong_answer | the last element is left out at one size, below a power of two
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		out[i] = (int64_t)(sum += (uint64_t)in[i]);
	if (n == (1 << 20) - 1)
		out[n - 1] = 0;
}
