// verdict: passed | eleven sums of every eleventh product: an order in which rounding errors are as large as they get
enum { SUMS = 11 };

float dot_f32(const float *a, const float *b, size_t n)
{
	float s[SUMS] = {0}, t = 0;
	size_t i = 0;
	for (; i + SUMS <= n; i += SUMS)
		for (int j = 0; j < SUMS; j++)
			s[j] += a[i + j] * b[i + j];
	for (; i < n; i++)
		t += a[i] * b[i];
	for (int j = 0; j < SUMS; j++)
		t += s[j];
	return t;
}
