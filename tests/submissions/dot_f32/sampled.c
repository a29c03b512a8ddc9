// verdict: wrong_answer | every second element, doubled
float dot_f32(const float *a, const float *b, size_t n)
{
	float sum = 0;
	for (size_t i = 0; i < n; i += 2)
		sum += 2 * a[i] * b[i];
	return sum;
}
