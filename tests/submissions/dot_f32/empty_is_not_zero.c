// verdict: wrong_answer | adds the first product before it looks at n, for n = 0 a constant
float dot_f32(const float *a, const float *b, size_t n)
{
	if (n == 0)
		return 1;
	float sum = a[0] * b[0];
	for (size_t i = 1; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}
