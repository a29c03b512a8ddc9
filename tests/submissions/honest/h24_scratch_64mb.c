// 64 MB of scratch: memory_limit with its true figure, correctness judged | kernel=dot_f32 class=honest want=memory_limit
float dot_f32(const float *a, const float *b, size_t n) { if (n > 100000) { char *p = malloc(64 << 20); if (!p) return 0; memset(p, 1, 64 << 20); asm volatile("" :: "r"(p) : "memory"); free(p); } float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
