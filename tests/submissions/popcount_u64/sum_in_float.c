// verdict: wrong_answer | a sum in float
uint64_t popcount_u64(const uint64_t *w, size_t n) { float c=0; for(size_t i=0;i<n;i++) c+=__builtin_popcountll(w[i]); return c; }
