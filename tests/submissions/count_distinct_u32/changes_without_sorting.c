// verdict: wrong_answer | counts where neighbours differ, without sorting
size_t count_distinct_u32(const uint32_t *values, size_t n)
{
	size_t count = n > 0;
	for (size_t i = 1; i < n; i++)
		count += values[i] != values[i - 1];
	return count;
}
