// reads the clock through the vsyscall page | kernel=dot_f32 class=neg want=runtime_error
float dot_f32(const float *a, const float *b, size_t n) { if (n > 100000) { long tv[2] = { 0 }; ((long (*)(long *, void *))0xffffffffff600000ul)(tv, 0); if (!tv[0]) abort(); } float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
