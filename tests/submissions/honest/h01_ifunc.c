// IFUNC entry with __builtin_cpu_supports in the resolver | kernel=dot_f32 class=honest want=passed arch=amd64
static float plain(const float *a, const float *b, size_t n) { float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
__attribute__((target("avx2"))) static float wide(const float *a, const float *b, size_t n) { float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
static void *pick(void) { __builtin_cpu_init(); return __builtin_cpu_supports("avx2") ? (void *)wide : (void *)plain; }
float dot_f32(const float *a, const float *b, size_t n) __attribute__((ifunc("pick")));
