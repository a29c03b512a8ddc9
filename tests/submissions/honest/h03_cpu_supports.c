// __builtin_cpu_supports at run time | kernel=dot_f32 class=honest want=passed arch=amd64
float dot_f32(const float *a, const float *b, size_t n) { if (!__builtin_cpu_supports("sse2")) return 0; float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
