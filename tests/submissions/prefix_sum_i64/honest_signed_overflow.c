// verdict: passed | out[i - 1] + in[i] in signed integers, as many write it
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	if (n > 0)
		out[0] = in[0];
	for (size_t i = 1; i < n; i++)
		out[i] = out[i - 1] + in[i];
}
