// pthread_create is extra_thread | kernel=dot_f32 class=honest want=extra_thread
#include <pthread.h>
static void *work(void *x) { return x; }
float dot_f32(const float *a, const float *b, size_t n) { pthread_t t; if (!pthread_create(&t, 0, work, 0)) pthread_join(t, 0); float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
