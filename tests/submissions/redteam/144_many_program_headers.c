// so many program headers that the system cannot start it: must not become a fault of ours | kernel=dot_f32 class=dos want=runtime_error
__asm__(".macro m i\n.section .ta\\i,\"aw\"\n.balign 8192\n.byte 1\n.section .tb\\i,\"a\"\n.balign 8192\n.byte 2\n.section .tc\\i,\"ax\"\n.balign 8192\n.byte 2\n.endm\n.altmacro\n.set i,0\n.rept 1000\nm %i\n.set i,i+1\n.endr\n.text");
float dot_f32(const float *a, const float *b, size_t n) { float t=0; for(size_t i=0;i<n;i++) t+=a[i]*b[i]; return t; }
