// verdict: wrong_answer | adds in double
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++) {
		sum += (double)in[i];
		out[i] = (int64_t)sum;
	}
}
