// verdict: wrong_answer | rounds the inputs to half precision
float dot_f32(const float *a, const float *b, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += (double)(float)(_Float16)a[i] * (double)(float)(_Float16)b[i];
	return (float)sum;
}
