// 64 MB static array, touched only in a small test after the mem phase | kernel=dot_f32 class=mem
static char big78[64 << 20];
float dot_f32(const float *a, const float *b, size_t n)
{
	if (n == 127) for (size_t i = 0; i < sizeof big78; i += 4096) ((volatile char *)big78)[i] = 1;
	float s = ((volatile char *)big78)[n]; s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s;
}
