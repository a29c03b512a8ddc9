// another function than the one asked for | kernel=dot_f32 class=honest want=compile_error
float dot(const float *a, const float *b, size_t n) { float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
