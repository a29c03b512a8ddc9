// 600 KB on the stack, alloca | kernel=dot_f32 class=honest want=passed
#include <alloca.h>
float dot_f32(const float *a, const float *b, size_t n) { volatile char big[400 << 10]; for (size_t i = 0; i < sizeof big; i += 4096) big[i] = 1; volatile char *q = alloca(200 << 10); q[0] = 1; float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
