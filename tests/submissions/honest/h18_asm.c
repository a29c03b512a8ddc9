// inline assembly, section and alias attributes, a weak helper | kernel=dot_f32 class=honest want=passed
__attribute__((weak)) int helper(void) { return 1; } int other(void) __attribute__((alias("helper")));
__attribute__((section(".rodata.mine"))) static const float one = 1; static float keep __attribute__((section("mydata"))) = 1;
float dot_f32(const float *a, const float *b, size_t n) { asm volatile("" ::: "memory"); if (!helper() || !other() || one != keep) return 0; float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
