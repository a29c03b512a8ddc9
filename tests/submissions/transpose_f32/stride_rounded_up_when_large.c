// verdict: wrong_answer | a stride of 4096 is assumed when large
void transpose_f32(const float *in, float *out, size_t r, size_t c) { size_t s=r>2000&&c>2000?(r+63)/64*64:r; for(size_t j=0;j<c;j++) for(size_t i=0;i<r;i++) if(j*s+i<r*c) out[j*s+i]=in[i*c+j]; }
