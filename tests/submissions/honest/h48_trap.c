// a trap at one size | kernel=prefix_sum_i64 class=honest want=runtime_error
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	uint64_t s = 0;
	for (size_t i = 0; i < n; i++) out[i] = (int64_t)(s += (uint64_t)in[i]);
	if (n == 3) __builtin_trap();
}
