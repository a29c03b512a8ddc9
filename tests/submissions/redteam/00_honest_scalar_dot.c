// honest scalar loop, about 1x | kernel=dot_f32 class=control
float dot_f32(const float *a, const float *b, size_t n) { float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
