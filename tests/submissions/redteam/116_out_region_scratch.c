// uses the pages of the output mapping around the output as scratch and leaves what it wrote | kernel=prefix_sum_i64 class=neg
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	if (n > 100000) { volatile char *p = (volatile char *)(((uintptr_t)(out + n) + 4095) & ~4095ul); p[8] ^= 1; }
	int64_t s = 0; for (size_t i = 0; i < n; i++) { s += in[i]; out[i] = s; }
}
