// reads the time stamp counter to recognise phases and measure itself | kernel=dot_f32 class=neg
#include <x86intrin.h>
float dot_f32(const float *a, const float *b, size_t n) { static volatile unsigned long t; t = __rdtsc(); float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
