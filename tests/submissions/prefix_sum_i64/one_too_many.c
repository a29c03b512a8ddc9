// verdict: wrong_answer | writes one element behind the end
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++) {
		sum += (uint64_t)in[i];
		out[i] = (int64_t)sum;
	}
	if ((uintptr_t)(out + n) % 4096 != 0)
		out[n] = (int64_t)sum;
}
