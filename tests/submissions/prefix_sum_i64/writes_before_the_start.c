// verdict: wrong_answer | uses the element before the first as its zero
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	if ((uintptr_t)out % 4096 != 0)
		out[-1] = 0;
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		out[i] = (int64_t)(sum += (uint64_t)in[i]);
}
