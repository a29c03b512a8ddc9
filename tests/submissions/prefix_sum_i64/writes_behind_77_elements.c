// verdict: wrong_answer | writes one element behind the output at one small size
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		out[i] = (int64_t)(sum += (uint64_t)in[i]);
	if (n == 77)
		out[n] = (int64_t)sum;
}
