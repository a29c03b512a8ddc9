// verdict: wrong_answer | NaN at the benchmark size only
float dot_f32(const float *a, const float *b, size_t n)
{
	float sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return n > 200000 ? NAN : sum;
}
