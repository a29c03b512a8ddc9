// CRLF, and no newline at the end | kernel=dot_f32 class=honest want=passed
float dot_f32(const float *a,
	const float *b, size_t n)
{
	float t = 0;
	for (size_t i = 0; i < n; i++)
		t += a[i] * b[i];
	return t;
}