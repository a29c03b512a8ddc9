// verdict: wrong_answer | leaves out the elements behind the last whole vector
float dot_f32(const float *a, const float *b, size_t n)
{
	float sum[8] = {0};
	size_t i = 0;
	for (; i + 8 <= n; i += 8)
		for (size_t k = 0; k < 8; k++)
			sum[k] += a[i + k] * b[i + k];
	float total = 0;
	for (size_t k = 0; k < 8; k++)
		total += sum[k];
	return total;
}
