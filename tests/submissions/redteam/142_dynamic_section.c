// a dynamic section, whose constructors a loader would run | kernel=dot_f32 class=neg want=forbidden
__asm__(".section .dynamic,\"aw\"\n.quad 5,0x1234,6,0x1234,25,0x1234,27,8,0,0\n.text");
float dot_f32(const float *a, const float *b, size_t n) { float t=0; for(size_t i=0;i<n;i++) t+=a[i]*b[i]; return t; }
