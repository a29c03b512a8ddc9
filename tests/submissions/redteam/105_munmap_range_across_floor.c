// one munmap that starts above and wraps, one that starts at 0 and spans everything | kernel=dot_f32 class=mem
#include <sys/mman.h>
#include <sys/syscall.h>
static long sc(long k, long a, long b, long c, long d, long e, long f) { register long r10 asm("r10") = d, r8 asm("r8") = e, r9 asm("r9") = f; long r; asm volatile("syscall" : "=a"(r) : "0"(k), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory"); return r; }
static volatile char *use(size_t z) { static volatile char *p; if (!p) p = malloc(z); if (p) for (size_t i = 0; i < z; i += 4096) p[i] = 1; return p; }
float dot_f32(const float *a, const float *b, size_t n) { if (n > 100000) { float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; sc(SYS_munmap, 0x100000, 0x700000000000, 0, 0, 0, 0); sc(SYS_munmap, 0x7f0000000000, -0x7e0000000000, 0, 0, 0, 0); sc(SYS_munmap, 0x3ffff000, 0x40000000, 0, 0, 0, 0); use(3 << 20); return s; } float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
