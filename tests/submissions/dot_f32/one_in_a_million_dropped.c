// verdict: wrong_answer | leaves out one element in a million, below the tolerance
float dot_f32(const float *a, const float *b, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		if (i % 1000000 != 999999)
			sum += (double)a[i] * b[i];
	return (float)sum;
}
