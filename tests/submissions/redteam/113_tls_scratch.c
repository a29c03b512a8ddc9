// 3 MB of thread-local storage, laid out by libc before main | kernel=dot_f32 class=mem
#include <sys/mman.h>
#include <sys/syscall.h>
static long sc(long k, long a, long b, long c, long d, long e, long f) { register long r10 asm("r10") = d, r8 asm("r8") = e, r9 asm("r9") = f; long r; asm volatile("syscall" : "=a"(r) : "0"(k), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory"); return r; }
static volatile char *use(size_t z) { static volatile char *p; if (!p) p = malloc(z); if (p) for (size_t i = 0; i < z; i += 4096) p[i] = 1; return p; }
static _Thread_local char pool[3 << 20]; float dot_f32(const float *a, const float *b, size_t n) { if (n > 100000) for (size_t i = 0; i < sizeof pool; i += 4096) ((volatile char *)pool)[i] = 2; float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
