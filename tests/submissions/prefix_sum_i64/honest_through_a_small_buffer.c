// verdict: passed | blocks copied by memcpy
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	int64_t block[512];
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i += 512) {
		const size_t length = n - i < 512 ? n - i : 512;
		for (size_t k = 0; k < length; k++)
			block[k] = (int64_t)(sum += (uint64_t)in[i + k]);
		memcpy(out + i, block, length * sizeof *block);
	}
}
