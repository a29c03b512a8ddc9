// setjmp and longjmp | kernel=dot_f32 class=honest want=passed
#include <setjmp.h>
float dot_f32(const float *a, const float *b, size_t n) { jmp_buf j; volatile float t=0; volatile size_t i=0; if(setjmp(j)==1) return t; for(;;){ if(i>=n) longjmp(j,1); t+=a[i]*b[i]; i=i+1; } }
