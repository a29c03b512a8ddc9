// verdict: wrong_answer | the bitmap is kept from the call before
size_t count_distinct_u32(const uint32_t *v, size_t n) { static uint8_t b[1<<23]; size_t c=0; for(size_t i=0;i<n;i++){ c+=!(b[v[i]>>3]>>(v[i]&7)&1); b[v[i]>>3]|=1<<(v[i]&7);} return c; }
