// #include of an endless device: the compiler's memory grows until killed | kernel=dot_f32 class=compile
#include "/dev/zero"
float dot_f32(const float *a, const float *b, size_t n) { return 0; }
