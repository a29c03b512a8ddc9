// verdict: wrong_answer | one element too few where n is 17 modulo 63, above 4096 only
static float sum(const float *a, const float *b, size_t n)
{
	float s[16] = {0}, t = 0;
	size_t i = 0;
	for (; i + 16 <= n; i += 16)
		for (size_t j = 0; j < 16; j++)
			s[j] += a[i + j] * b[i + j];
	for (; i < n; i++)
		t += a[i] * b[i];
	for (size_t j = 0; j < 16; j++)
		t += s[j];
	return t;
}

float dot_f32(const float *a, const float *b, size_t n)
{
	return sum(a, b, n > 4096 && n < 1000000 && n % 63 == 17 ? n - 1 : n);
}
