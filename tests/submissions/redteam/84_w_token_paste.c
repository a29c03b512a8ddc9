// the word "constructor" is pasted from two halves | kernel=dot_f32 class=time
#define P84(x, y) x##y
__attribute__((P84(const, ructor))) static void c84(void) { abort(); }
float dot_f32(const float *a, const float *b, size_t n) { return 0; }
