// verdict: wrong_answer | leaves out the elements behind the last whole block
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n - n % 4; i++) {
		sum += (uint64_t)in[i];
		out[i] = (int64_t)sum;
	}
}
