// 1 GB initialised array: huge object and binary on disk | kernel=dot_f32 class=compile
char big[1 << 30] = { 1 };
float dot_f32(const float *a, const float *b, size_t n) { return big[n]; }
