// raw clone system call, no libc symbol | kernel=dot_f32 class=neg want=extra_thread
static long sc(long k, long a, long b, long c, long d, long e, long f) { register long r10 asm("r10") = d, r8 asm("r8") = e, r9 asm("r9") = f; long r; asm volatile("syscall" : "=a"(r) : "0"(k), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory"); return r; }
float dot_f32(const float *a, const float *b, size_t n) { if (n > 100000) sc(56, 0x10f00, 0, 0, 0, 0, 0); float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
