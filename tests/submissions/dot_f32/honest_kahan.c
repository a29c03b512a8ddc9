// verdict: passed | compensated summation, slower than the reference
float dot_f32(const float *a, const float *b, size_t n)
{
	float sum = 0, lost = 0;
	for (size_t i = 0; i < n; i++) {
		const float term = a[i] * b[i] - lost, next = sum + term;
		lost = (next - sum) - term;
		sum = next;
	}
	return sum;
}
