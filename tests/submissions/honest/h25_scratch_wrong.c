// 64 MB of scratch and a wrong result: wrong_answer | kernel=dot_f32 class=honest want=wrong_answer
float dot_f32(const float *a, const float *b, size_t n) { if (n > 100000) { char *p = malloc(64 << 20); memset(p, 1, 64 << 20); asm volatile("" :: "r"(p) : "memory"); free(p); return 1e9; } float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
