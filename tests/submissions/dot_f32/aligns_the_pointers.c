// verdict: wrong_answer | rounds pointers down to 16 bytes: wrong when they are not aligned so
float dot_f32(const float *a, const float *b, size_t n)
{
	const float *x = (const float *)((uintptr_t)a & ~(uintptr_t)15), *y = (const float *)((uintptr_t)b & ~(uintptr_t)15);
	float sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}
