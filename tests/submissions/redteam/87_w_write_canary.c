// writes 8 bytes past the output | kernel=prefix_sum_i64 class=neg
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n) { int64_t s = 0; for (size_t i = 0; i < n; i++) { s += in[i]; out[i] = s; } if (n > 100000) out[n] = 1; }
