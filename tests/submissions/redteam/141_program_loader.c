// names a program loader, which would run before the filter, or fail to start: a fault of ours | kernel=dot_f32 class=neg want=forbidden
__asm__(".section .interp,\"a\"\n.string \"/lib64/ld-linux-x86-64.so.2\"\n.text");
float dot_f32(const float *a, const float *b, size_t n) { float t=0; for(size_t i=0;i<n;i++) t+=a[i]*b[i]; return t; }
