// an endless loop at one size | kernel=dot_f32 class=honest want=time_limit
float dot_f32(const float *a, const float *b, size_t n)
{
	float s = 0;
	volatile int go = n == 100;
	while (go) s += 1;
	for (size_t i = 0; i < n; i++) s += a[i] * b[i];
	return s;
}
