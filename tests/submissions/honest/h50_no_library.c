// a function of a library that is not linked | kernel=dot_f32 class=honest want=compile_error
extern float cblas_sdot(int n, const float *a, int ia, const float *b, int ib);
float dot_f32(const float *a, const float *b, size_t n) { return cblas_sdot((int)n, a, 1, b, 1); }
