// verdict: wrong_answer | cuts the inputs to 16 bits
static float cut(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	bits &= 0xFFFF0000;
	memcpy(&value, &bits, sizeof bits);
	return value;
}

float dot_f32(const float *a, const float *b, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += (double)cut(a[i]) * cut(b[i]);
	return (float)sum;
}
