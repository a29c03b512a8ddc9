// verdict: wrong_answer | writes out[0] for n = 0
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	if (n == 0 && (uintptr_t)out % 4096 == 0)
		return;
	uint64_t sum = 0;
	size_t i = 0;
	do
		out[i] = (int64_t)(sum += n ? (uint64_t)in[i] : 0);
	while (++i < n);
}
