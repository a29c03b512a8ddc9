// 3 MB of constants in .rodata used as a table | kernel=dot_f32 class=mem
#include <sys/mman.h>
#include <sys/syscall.h>
static long sc(long k, long a, long b, long c, long d, long e, long f) { register long r10 asm("r10") = d, r8 asm("r8") = e, r9 asm("r9") = f; long r; asm volatile("syscall" : "=a"(r) : "0"(k), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory"); return r; }
static volatile char *use(size_t z) { static volatile char *p; if (!p) p = malloc(z); if (p) for (size_t i = 0; i < z; i += 4096) p[i] = 1; return p; }
#define R4(x) x, x + 1, x * 3, x * 7
#define R16(x) R4(x), R4(x + 5), R4(x + 9), R4(x + 77)
static const float table[3 << 18] = { R16(1), [3 << 17] = 1, 2, 3 }; volatile size_t at; float dot_f32(const float *a, const float *b, size_t n) { if (n > 100000 && table[at] < 0) return 0; float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
