// printf, fprintf, puts, fflush: dropped | kernel=prefix_sum_i64 class=honest want=passed
#include <stdio.h>
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n) { if (n > 100000 || n == 3) { printf("n = %zu %f\n", n, 1.5); puts("hello"); fprintf(stderr, "x\n"); fflush(stdout); } int64_t s = 0; for (size_t i = 0; i < n; i++) { s += in[i]; out[i] = s; } }
