// verdict: wrong_answer | the last element stays 0 where n is 2 modulo 4
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		out[i] = (int64_t)(sum += (uint64_t)in[i]);
	if (n % 4 == 2 && n > 2)
		out[n - 1] = 0;
}
