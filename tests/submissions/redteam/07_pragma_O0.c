// #pragma GCC optimize after the answer: reference and harness compiled at -O0 | kernel=dot_f32 class=slowref
#include <immintrin.h>
float dot_f32(const float *a, const float *b, size_t n) { float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
#pragma GCC optimize("O0")
#pragma GCC target("no-avx,no-avx2,no-avx512f,no-fma")
