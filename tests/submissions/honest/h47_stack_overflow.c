// endless recursion | kernel=prefix_sum_i64 class=honest want=runtime_error
static int64_t deeper(const int64_t *in, volatile int64_t x) { volatile int64_t y = x + 1; return deeper(in, y) + y; }
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n) { for (size_t i = 0; i < n; i++) out[i] = deeper(in, in[i]); }
