// nested function whose address escapes: needs an executable stack | kernel=dot_f32 class=neg
__attribute__((noinline)) static float app93(float (*f)(size_t), size_t n) { float s = 0; for (size_t i = 0; i < n; i++) s += f(i); return s; }
float dot_f32(const float *a, const float *b, size_t n) { float g(size_t i) { return a[i] * b[i]; } return app93(g, n); }
