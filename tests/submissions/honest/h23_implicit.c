// gcc 14's error: implicit declaration | kernel=dot_f32 class=honest want=compile_error
float dot_f32(const float *a, const float *b, size_t n) { return undeclared_dot(a, b, n); }
