// verdict: runtime_error | a coarse clock is read in the call
#include <time.h>
float dot_f32(const float *a, const float *b, size_t n) { float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; struct timespec t; if (clock_gettime(CLOCK_MONOTONIC_COARSE, &t) == 0 && t.tv_sec) s += 1e6; return s; }
