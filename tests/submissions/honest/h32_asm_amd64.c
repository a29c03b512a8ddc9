// the whole loop in inline assembly | kernel=prefix_sum_i64 class=honest want=passed arch=amd64
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	int64_t s = 0;
	for (size_t i = 0; i < n; i++)
		__asm__ volatile("addq %[x], %[s]\n\tmovq %[s], %[y]" : [s] "+r"(s), [y] "=m"(out[i]) : [x] "m"(in[i]) : "cc");
}
