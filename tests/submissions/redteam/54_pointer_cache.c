// (expected to fail) result cached by pointers and length | kernel=dot_f32 class=time
static void spin_(void) { for (volatile int i = 0; i < 200000; i++); }   /* defeats the CPU/wall ratio test of zero-work calls */
float dot_f32(const float *a, const float *b, size_t n)
{
	static const float *pa, *pb; static size_t pn; static float r;
	if (a == pa && b == pb && n == pn) { if (n > 100000) spin_(); return r; }
	float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i];
	pa = a; pb = b; pn = n; r = s; return s;
}
