// verdict: wrong_answer | the last element is lost where the length is 2 modulo 4 and above 2
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n) { uint64_t s = 0; for (size_t i = 0; i < n; i++) out[i] = s += in[i]; if (n % 4 == 2 && n > 2) out[n - 1] = 0; }
