// exit(0) inside the call (must score 0) | kernel=dot_f32 class=neg
#include <stdlib.h>
float dot_f32(const float *a, const float *b, size_t n) { exit(0); }
