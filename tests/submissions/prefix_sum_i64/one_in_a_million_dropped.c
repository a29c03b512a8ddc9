// verdict: wrong_answer | one element in a million is not added
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++) {
		if (i % 1000000 != 999999)
			sum += (uint64_t)in[i];
		out[i] = (int64_t)sum;
	}
}
