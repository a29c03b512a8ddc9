// `#pragma GCC push_options`, `optimize`, `ivdep`, `unroll` | kernel=prefix_sum_i64 class=honest want=passed
#pragma GCC push_options
#pragma GCC optimize("O2,unroll-loops")
static int64_t block(const int64_t *in, int64_t *out, size_t n, int64_t s)
{
#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++) out[i] = s = (int64_t)((uint64_t)s + (uint64_t)in[i]);
	return s;
}
#pragma GCC pop_options
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	int64_t s = 0;
	for (size_t i = 0; i < n; i += 4096) s = block(in + i, out + i, n - i < 4096 ? n - i : 4096, s);
}
