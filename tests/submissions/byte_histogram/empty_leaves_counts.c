// verdict: wrong_answer | leaves counts as they were for n = 0
void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256]) { if(!n) return; memset(counts,0,2048); for(size_t i=0;i<n;i++) counts[data[i]]++; }
