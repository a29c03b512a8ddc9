// verdict: passed | pairwise summation of blocks
static float block(const float *a, const float *b, size_t n)
{
	float s[8] = {0}, t = 0;
	size_t i = 0;
	for (; i + 8 <= n; i += 8)
		for (int j = 0; j < 8; j++)
			s[j] = fmaf(a[i + j], b[i + j], s[j]);
	for (; i < n; i++)
		t = fmaf(a[i], b[i], t);
	return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7])) + t;
}

float dot_f32(const float *a, const float *b, size_t n)
{
	if (n <= 512)
		return block(a, b, n);
	return dot_f32(a, b, n / 2) + dot_f32(a + n / 2, b + n / 2, n - n / 2);
}
