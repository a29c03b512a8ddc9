// verdict: wrong_answer | stays at the largest value instead of wrapping
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	int64_t sum = 0;
	for (size_t i = 0; i < n; i++) {
		if (__builtin_add_overflow(sum, in[i], &sum))
			sum = in[i] > 0 ? INT64_MAX : INT64_MIN;
		out[i] = sum;
	}
}
