// cpuid.h | kernel=dot_f32 class=honest want=passed arch=amd64
#include <cpuid.h>
float dot_f32(const float *a, const float *b, size_t n) { unsigned x, y, z, w; if (!__get_cpuid(7, &x, &y, &z, &w)) return 0; float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
