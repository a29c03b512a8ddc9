// verdict: wrong_answer | the state is kept between the calls
uint32_t crc32_ieee(const uint8_t *d, size_t n) { static uint32_t c=~0u; for(size_t i=0;i<n;i++){ c^=d[i]; for(int k=0;k<8;k++) c=c>>1^(0xEDB88320&-(c&1)); } return ~c; }
