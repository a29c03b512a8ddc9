// verdict: wrong_answer | 2^26 - 1 does not count
size_t count_distinct_u32(const uint32_t *v, size_t n) { uint8_t *b=calloc(1<<23,1); size_t c=0; for(size_t i=0;i<n;i++) if(v[i]!=(1u<<26)-1){ c+=!(b[v[i]>>3]>>(v[i]&7)&1); b[v[i]>>3]|=1<<(v[i]&7);} free(b); return c; }
