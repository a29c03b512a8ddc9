// weak helpers and aliases | kernel=dot_f32 class=honest want=passed
__attribute__((weak)) float mul(float x,float y){return x*y;}
float mul2(float,float) __attribute__((alias("mul")));
float dot_f32(const float *a, const float *b, size_t n)
{
	float t = 0;
	for (size_t i = 0; i < n; i++) t+=mul2(a[i],b[i]);
	return t;
}
