// verdict: wrong_answer | hands an int from block to block
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	int carry = 0;
	for (size_t i = 0; i < n;) {
		uint64_t sum = (uint64_t)carry;
		const size_t end = i + 8 < n ? i + 8 : n;
		for (; i < end; i++)
			out[i] = (int64_t)(sum += (uint64_t)in[i]);
		carry = (int)sum;
	}
}
