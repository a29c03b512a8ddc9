// verdict: wrong_answer | off by one: the last element is missing
float dot_f32(const float *a, const float *b, size_t n)
{
	float sum = 0;
	for (size_t i = 0; i + 1 < n; i++)
		sum += a[i] * b[i];
	return sum;
}
