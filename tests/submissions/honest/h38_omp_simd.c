// `#pragma omp simd` with a reduction, and declare simd, without -fopenmp | kernel=dot_f32 class=honest want=passed
#pragma omp declare simd
static inline float times(float a, float b) { return a * b; }
float dot_f32(const float *a, const float *b, size_t n)
{
	float s = 0;
#pragma omp simd reduction(+ : s)
	for (size_t i = 0; i < n; i++) s += times(a[i], b[i]);
	return s;
}
