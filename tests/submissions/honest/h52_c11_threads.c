// threads of C11 | kernel=dot_f32 class=honest want=extra_thread
#include <threads.h>
static int work(void *x) { (void)x; return 0; }
float dot_f32(const float *a, const float *b, size_t n) { thrd_t t; if (thrd_create(&t, work, 0) == thrd_success) thrd_join(t, 0); float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
