// verdict: wrong_answer | the last element is lost where the length is 2 modulo 4 and above 2
float dot_f32(const float *a, const float *b, size_t n)
{
	float s[64] = {0}, t = 0;
	size_t i = 0;
	for (; i + 64 <= n; i += 64) for (int j = 0; j < 64; j++) s[j] += a[i + j] * b[i + j];
	for (int j = 0; j < 64; j++) t += s[j];
	for (; i + 4 <= n; i += 4) for (int j = 0; j < 4; j++) t += a[i + j] * b[i + j];
	size_t left = n - i;
	if (left == 3) t += a[i + 2] * b[i + 2] + a[i + 1] * b[i + 1] + a[i] * b[i];
	else if (left == 2 && n == 2) t += a[i] * b[i] + a[i + 1] * b[i + 1];
	else if (left) t += a[i] * b[i];
	return t;
}
