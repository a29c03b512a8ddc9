// 128-bit division from libgcc | kernel=prefix_sum_i64 class=honest want=passed
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n) { unsigned __int128 s = 0, d = 3; for (size_t i = 0; i < n; i++) { s += (uint64_t)in[i]; out[i] = (int64_t)(uint64_t)((s * d) / (d + (n > 1ul << 60))); } }
