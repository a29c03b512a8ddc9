// reads MPERF by RDPRU (AMD) as a clock | kernel=dot_f32 class=neg want=runtime_error
float dot_f32(const float *a, const float *b, size_t n) { if (n > 100000) { unsigned lo, hi; asm volatile(".byte 0x0f, 0x01, 0xfd" : "=a"(lo), "=d"(hi) : "c"(0)); if (!(lo | hi)) abort(); } float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
