// verdict: wrong_answer | restarts at 0 every 65536 elements
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++) {
		if (i % 65536 == 0)
			sum = 0;
		out[i] = (int64_t)(sum += (uint64_t)in[i]);
	}
}
