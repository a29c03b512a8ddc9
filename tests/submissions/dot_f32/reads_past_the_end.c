// verdict: wrong_answer | reads a whole vector behind the last element
float dot_f32(const float *a, const float *b, size_t n)
{
	float sum = 0;
	for (size_t i = 0; i < n; i += 8)
		for (size_t k = 0; k < 8; k++) {
			const float product = *(volatile const float *)(a + i + k) * *(volatile const float *)(b + i + k);
			sum += i + k < n ? product : 0;
		}
	return sum;
}
