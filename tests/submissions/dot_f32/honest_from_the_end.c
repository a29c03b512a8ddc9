// verdict: passed | one chain, backwards, with fused multiplication and addition
float dot_f32(const float *a, const float *b, size_t n)
{
	float t = 0;
	while (n-- > 0)
		t = fmaf(a[n], b[n], t);
	return t;
}
