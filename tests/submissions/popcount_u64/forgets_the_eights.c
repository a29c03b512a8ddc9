// verdict: wrong_answer | a carry-save adder whose eights are never counted
static uint64_t add(uint64_t *sum, uint64_t a, uint64_t b)
{
	const uint64_t half = *sum ^ a, carry = (*sum & a) | (half & b);
	*sum = half ^ b;
	return carry;
}

uint64_t popcount_u64(const uint64_t *words, size_t n)
{
	uint64_t ones = 0, twos = 0, fours = 0, count = 0;
	size_t i = 0;
	for (; i + 8 <= n; i += 8) {
		const uint64_t a = add(&ones, words[i], words[i + 1]), b = add(&ones, words[i + 2], words[i + 3]);
		const uint64_t c = add(&twos, a, b), d = add(&ones, words[i + 4], words[i + 5]);
		const uint64_t e = add(&ones, words[i + 6], words[i + 7]), f = add(&twos, d, e);
		(void)add(&fours, c, f);
	}
	count += 4 * (uint64_t)__builtin_popcountll(fours) + 2 * (uint64_t)__builtin_popcountll(twos) + (uint64_t)__builtin_popcountll(ones);
	for (; i < n; i++)
		count += (uint64_t)__builtin_popcountll(words[i]);
	return count;
}
