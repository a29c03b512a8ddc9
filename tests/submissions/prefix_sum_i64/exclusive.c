// verdict: wrong_answer | the sum before each element
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++) {
		out[i] = (int64_t)sum;
		sum += (uint64_t)in[i];
	}
}
