// verdict: wrong_answer | the same, only when large
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n) { uint64_t s=0; for(size_t i=0;i<n;i++){ s+=in[i]; out[i]=s; } if (n>1000000) out[n]=0; }
