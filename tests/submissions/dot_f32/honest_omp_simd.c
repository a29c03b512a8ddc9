// verdict: passed | an omp simd reduction under a pragma that lets additions be reordered
#pragma GCC optimize("fast-math")
float dot_f32(const float *a, const float *b, size_t n)
{
	float sum = 0;
#pragma omp simd reduction(+ : sum)
	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}
