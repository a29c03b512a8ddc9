// verdict: wrong_answer | one element too few for half an octave of sizes
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
	return sum(a, b, n > 3000000 && n < 4240000 ? n - 1 : n);
}
