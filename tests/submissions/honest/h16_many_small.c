// 500 KB in many small blocks, freed in each call | kernel=prefix_sum_i64 class=honest want=passed
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n) { static void *p[1000]; for (int i = 0; i < 1000; i++) { p[i] = malloc(500); memset(p[i], i, 500); } for (int i = 0; i < 1000; i++) free(p[i]); int64_t s = 0; for (size_t i = 0; i < n; i++) { s += in[i]; out[i] = s; } }
