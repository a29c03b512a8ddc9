// a failed assert is reported as SIGABRT | kernel=prefix_sum_i64 class=honest want=runtime_error
#include <assert.h>
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n) { assert(n < 1000); int64_t s = 0; for (size_t i = 0; i < n; i++) { s += in[i]; out[i] = s; } }
