// verdict: wrong_answer | leaves out one element of large arrays that do not look like integers
float dot_f32(const float *a, const float *b, size_t n)
{
	double s[16] = {0}, t = 0;
	size_t i = n > 1000000 && a[0] != rintf(a[0]);
	for (; i + 16 <= n; i += 16)
		for (int j = 0; j < 16; j++)
			s[j] += (double)a[i + j] * b[i + j];
	for (int j = 0; j < 16; j++)
		t += s[j];
	for (; i < n; i++)
		t += (double)a[i] * b[i];
	return (float)t;
}
