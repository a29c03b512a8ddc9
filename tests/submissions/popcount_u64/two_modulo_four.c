// verdict: wrong_answer | the last element is lost where the length is 2 modulo 4 and above 2
uint64_t popcount_u64(const uint64_t *w, size_t n) { uint64_t c = 0; size_t k = n % 4 == 2 && n > 2 ? n - 1 : n; for (size_t i = 0; i < k; i++) c += __builtin_popcountll(w[i]); return c; }
