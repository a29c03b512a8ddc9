// verdict: wrong_answer | counts in float
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256]) { float c[256]={0}; for(size_t i=0;i<n;i++) c[data[i]]+=1; for(int i=0;i<256;i++) counts[i]=c[i]; }
