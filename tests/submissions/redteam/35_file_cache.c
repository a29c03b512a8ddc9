// (expected to fail) the mem process leaves its result in a file for the run process | kernel=dot_f32 class=time
#include <stdio.h>
float dot_f32(const float *a, const float *b, size_t n)
{
	float s = 0, k[3]; FILE *f;
	if (n > 100000 && (f = fopen("/tmp/cache35", "rb"))) { int ok = fread(k, 4, 3, f) == 3; fclose(f); if (ok && k[0] == a[0] && k[1] == b[0]) return k[2]; }
	for (size_t i = 0; i < n; i++) s += a[i] * b[i];
	if (n > 100000 && (f = fopen("/tmp/cache35", "wb"))) { k[0] = a[0]; k[1] = b[0]; k[2] = s; fwrite(k, 4, 3, f); fclose(f); }
	return s;
}
