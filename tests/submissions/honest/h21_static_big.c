// 64 MB static array of which it touches 256 KB | kernel=dot_f32 class=honest want=passed
static char pool[64 << 20];
float dot_f32(const float *a, const float *b, size_t n) { for (size_t i = 0; i < 256 << 10; i += 64) pool[i]++; float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
