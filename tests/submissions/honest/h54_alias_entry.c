// the entry is an alias | kernel=dot_f32 class=honest want=passed
static float impl(const float *a, const float *b, size_t n)
{
	float t = 0;
	for (size_t i = 0; i < n; i++) t+=a[i]*b[i];
	return t;
}
float dot_f32(const float *a, const float *b, size_t n) __attribute__((alias("impl")));
