/* Myers' bit-parallel algorithm (1999) in Hyyro's form (2003), 64 rows to a word, many words at a time: lane q of a strip works on the rows
   from 64 q on, one column behind lane q - 1, whose carry it needs.  Strips follow each other and keep the carries of all columns. */
enum { LANES = __BIGGEST_ALIGNMENT__ / 8, GROUPS = 2, BLOCKS = LANES * GROUPS, ROWS = 64 * BLOCKS, NO_BYTE = 256 };
typedef uint64_t lanes __attribute__((vector_size(8 * LANES)));

/* lane 0 of the result is the last of `before`, the others are those of v, one further */
static inline lanes move_up(lanes before, lanes v)
{
#if __BIGGEST_ALIGNMENT__ == 64
	return __builtin_shuffle(before, v, (lanes){7, 8, 9, 10, 11, 12, 13, 14});
#elif __BIGGEST_ALIGNMENT__ == 32
	return __builtin_shuffle(before, v, (lanes){3, 4, 5, 6});
#else
	return __builtin_shuffle(before, v, (lanes){1, 2});
#endif
}

struct strip {
	uint64_t equal[BLOCKS][NO_BYTE + 1]; /* [q][c]: which rows of block q hold the byte c */
};

static void set_rows(struct strip *s, const uint8_t *a, size_t rows)
{
	memset(s, 0, sizeof *s);
	for (size_t i = 0; i < rows; i++)
		s->equal[i / 64][a[i]] |= UINT64_C(1) << i % 64;
}

/* b[j] for j in -BLOCKS .. m + BLOCKS - 1; plus[j] and minus[j]: does the row above the strip, later the last of it, rise or fall in column j?
   Returns by how much the strip's last row, `rows - 1`, rises from the first column to the last. */
static int64_t run_strip(const struct strip *s, const uint16_t *b, size_t m, size_t rows, uint8_t *plus, uint8_t *minus)
{
	const size_t bottom = (rows - 1) / 64, steps = m + bottom;
	const unsigned bit = (rows - 1) % 64;
	const lanes zero = {0};
	lanes vp[GROUPS], vn[GROUPS], hp[GROUPS], hn[GROUPS], rises[GROUPS], falls[GROUPS];
	for (unsigned g = 0; g < GROUPS; g++) {
		vp[g] = ~zero;
		vn[g] = hp[g] = hn[g] = rises[g] = falls[g] = zero;
	}
	for (size_t t = 0; t < steps; t++) {
		lanes before_p = zero + ((uint64_t)plus[t] << 63), before_n = zero + ((uint64_t)minus[t] << 63);
#pragma GCC unroll 8
		for (unsigned g = 0; g < GROUPS; g++) {
			lanes eq;
#pragma GCC unroll 8
			for (unsigned k = 0; k < LANES; k++)
				eq[k] = s->equal[g * LANES + k][b[(ptrdiff_t)t - (ptrdiff_t)(g * LANES + k)]];
			lanes p_in = move_up(before_p, hp[g]) >> 63, n_in = move_up(before_n, hn[g]) >> 63;
			lanes diagonal = eq | n_in, v = vp[g];
			diagonal = (((diagonal & v) + v) ^ v) | diagonal | vn[g];
			before_p = hp[g];
			before_n = hn[g];
			hp[g] = vn[g] | ~(diagonal | v);
			hn[g] = diagonal & v;
			lanes p = hp[g] << 1 | p_in, n = hn[g] << 1 | n_in;
			vp[g] = n | ~(diagonal | p);
			vn[g] = p & diagonal;
			rises[g] += hp[g] >> bit & 1;
			falls[g] += hn[g] >> bit & 1;
		}
		if (t >= BLOCKS - 1) {
			plus[t - (BLOCKS - 1)] = (uint8_t)(hp[GROUPS - 1][LANES - 1] >> 63);
			minus[t - (BLOCKS - 1)] = (uint8_t)(hn[GROUPS - 1][LANES - 1] >> 63);
		}
	}
	return (int64_t)(rises[bottom / LANES][bottom % LANES] - falls[bottom / LANES][bottom % LANES]);
}

uint32_t levenshtein(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
	if (n > m)
		return levenshtein(b, m, a, n);
	if (n == 0)
		return (uint32_t)m;
	struct strip *s = malloc(sizeof *s);
	uint16_t *padded = malloc((m + 2 * BLOCKS) * sizeof *padded);
	uint8_t *plus = malloc(m + BLOCKS), *minus = calloc(m + BLOCKS, 1);
	memset(plus, 1, m + BLOCKS);
	for (size_t j = 0; j < m + 2 * BLOCKS; j++)
		padded[j] = j < BLOCKS || j >= m + BLOCKS ? NO_BYTE : b[j - BLOCKS];
	int64_t rise = 0;
	for (size_t i = 0; i < n; i += ROWS) {
		size_t rows = n - i < ROWS ? n - i : ROWS;
		set_rows(s, a + i, rows);
		rise = run_strip(s, padded + BLOCKS, m, rows, plus, minus);
	}
	free(s);
	free(padded);
	free(plus);
	free(minus);
	return (uint32_t)((int64_t)n + rise);
}
