"""Answers to dot_f32, one for each thing that can come out."""

RIGHT = """
float dot_f32(const float *a, const float *b, size_t n)
{
    double sum[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++) sum[k] += (double)a[i + k] * b[i + k];
    for (; i < n; i++) sum[0] += (double)a[i] * b[i];
    return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}
"""
WRONG = "float dot_f32(const float *a, const float *b, size_t n) { return n ? a[0] * b[0] : 1; }"
CRASH = "float dot_f32(const float *a, const float *b, size_t n) { *(volatile int *)8 = 1; return a[0] * b[0]; }"
BROKEN = "float dot_f32(const float *a, const float *b, size_t n) { return undeclared; }"
# 64 MiB of scratch, every page of it written, from a certain size on
GREEDY = """
float dot_f32(const float *a, const float *b, size_t n)
{
    size_t bytes = n < 50000 ? 1 : (size_t)64 << 20;
    volatile char *scratch = malloc(bytes);
    for (size_t i = 0; i < bytes; i += 1024) scratch[i] = 1;
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)a[i] * b[i];
    free((void *)scratch);
    return sum;
}
"""
ENDLESS = "float dot_f32(const float *a, const float *b, size_t n) { for (volatile int i = 0;;) i++; return 0; }"
FOR_X86 = """
#include <immintrin.h>
float dot_f32(const float *a, const float *b, size_t n) { __m256 x = _mm256_setzero_ps(); return x[0]; }
"""
FOR_ARM = """
#include <arm_neon.h>
float dot_f32(const float *a, const float *b, size_t n) { return vaddvq_f32(vdupq_n_f32(0)); }
"""
