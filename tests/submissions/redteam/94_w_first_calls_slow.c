// (allowed) builds a table in the first, untimed calls | kernel=dot_f32 class=control
float dot_f32(const float *a, const float *b, size_t n)
{
	static float t[1024]; static int up; if (!up) { up = 1; for (int i = 0; i < 1024; i++) t[i] = sqrtf(i) * 0; }
	float s = t[n & 1023]; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s;
}
