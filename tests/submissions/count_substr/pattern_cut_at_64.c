// verdict: wrong_answer | bits of one word
size_t count_substr(const char *t, size_t n, const char *p, size_t m) { if(!m||m>n) return 0; if(m>64) m=64; uint64_t s=0,T[256]={0}; for(size_t i=0;i<m;i++)T[(uint8_t)p[i]]|=1ull<<i; size_t c=0; for(size_t i=0;i<n;i++){ s=(s<<1|1)&T[(uint8_t)t[i]]; c+=s>>(m-1)&1; } return c; }
