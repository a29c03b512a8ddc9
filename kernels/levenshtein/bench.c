/* levenshtein: pairs of strings that tell the edit distance from what resembles it; the expectation is bit-parallel. */
#include "kernel.h"

#ifdef KERNEL_STUB

uint32_t levenshtein(const uint8_t *a, size_t n, const uint8_t *b, size_t m);

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)out;
	ret->u32 = levenshtein(in0, arg[0].u64, in1, arg[1].u64);
}

#else

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	UNRELATED, NEAR_COPY, SHIFTED, TWO_LETTERS, ALL_BYTES, EQUAL, MUCH_SHORTER, MUCH_LONGER, NEIGHBOURS_SWAPPED, NOTHING_SHARED, SAME_ENDS, ONE_LETTER,
	SUBSTITUTED, ROTATED, EMPTY, KINDS
};
static const char *const KIND_NAMES[] = {
	"unrelated letters", "near copies", "b is a moved by one", "two letters", "all byte values", "equal", "b is much shorter", "b is much longer",
	"neighbours swapped", "no byte in common", "same beginning and end", "one letter", "only substitutions", "the first two fifths moved to the end",
	"b is empty",
};
static const size_t SIZES[] = {KERNEL_TEST_SIZES};
/* Distances above 65535, and strings of more than any block. */
static const struct {
	size_t n, m;
	enum kind kind;
} LARGE[] = {
	{66001, 3, UNRELATED}, {3, 66001, UNRELATED}, {65536, 1, NOTHING_SHARED}, {0, 70000, UNRELATED}, {70000, 0, UNRELATED}, {2049, 4097, NEAR_COPY},
	{4097, 4099, NEAR_COPY}, {4095, 4096, ALL_BYTES}, {511, 5000, UNRELATED}, {4160, 4160, SHIFTED}, {3000, 2000, TWO_LETTERS}, {2500, 2500, ROTATED},
};
/* The sizes above 1100 are among LARGE only: a cell takes an answer as slow as the reference 1 ns. */
enum { SMALL_SIZES = sizeof SIZES / sizeof *SIZES - 1, SMALL_TESTS = SMALL_SIZES * KINDS, LARGE_TESTS = sizeof LARGE / sizeof *LARGE };

static void shape(struct kernel_case *c, size_t n, size_t m, enum kind kind)
{
	c->in_bytes[0] = n;
	c->in_bytes[1] = m;
	c->arg[0].u64 = n;
	c->arg[1].u64 = m;
	c->units = (double)n * (double)m;
	c->kind = kind;
	snprintf(c->note, sizeof c->note, "n = %zu, m = %zu, %s", n, m, KIND_NAMES[kind]);
}

static size_t other_length(size_t n, enum kind kind)
{
	size_t most = n < 6 ? n : 6;
	switch (kind) {
	case UNRELATED:
	case TWO_LETTERS:
	case ALL_BYTES:
	case ONE_LETTER:
		return SIZES[kernel_random_below(SMALL_SIZES)];
	case NEAR_COPY:
	case SAME_ENDS:
	case NOTHING_SHARED:
		return n - most + kernel_random_below(2 * most + 1);
	case MUCH_SHORTER:
		return n / 8;
	case MUCH_LONGER:
		return 3 * n + 2;
	case EMPTY:
		return 0;
	default:
		return n;
	}
}

static void shape_test(size_t index, struct kernel_case *c)
{
	if (index < SMALL_TESTS) {
		size_t n = SIZES[index / KINDS];
		shape(c, n, other_length(n, (enum kind)(index % KINDS)), (enum kind)(index % KINDS));
	} else {
		shape(c, LARGE[index - SMALL_TESTS].n, LARGE[index - SMALL_TESTS].m, LARGE[index - SMALL_TESTS].kind);
	}
}

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	if (variant == 0)
		shape(c, size, size, UNRELATED);
	else if (variant == 1)
		shape(c, size, size + size / 500, NEAR_COPY);
	else if (variant == 2)
		shape(c, size - size / 3, size, ALL_BYTES);
	else
		shape(c, size, size, ROTATED);
}

static void fill_letters(unsigned char *p, size_t size, unsigned letters, unsigned first)
{
	for (size_t i = 0; i < size; i++)
		p[i] = (unsigned char)(first + kernel_random_below(letters));
}

/* b = a with one edit in about twelve bytes: insertions, deletions and substitutions */
static void fill_near_copy(const unsigned char *a, size_t n, unsigned char *b, size_t m)
{
	size_t i = 0;
	for (size_t j = 0; j < m; j++) {
		unsigned edit = (unsigned)kernel_random_below(36);
		if (edit == 0)
			i++;
		b[j] = (unsigned char)(edit == 1 || edit == 2 || i >= n ? 'a' + kernel_random_below(26) : a[i]);
		i += edit != 1;
	}
}

static void swap_neighbours(unsigned char *p, size_t size)
{
	for (size_t i = 0; i + 1 < size; i += 2 + kernel_random_below(4)) {
		unsigned char t = p[i];
		p[i] = p[i + 1];
		p[i + 1] = t;
	}
}

static void make_other(enum kind kind, const unsigned char *a, size_t n, unsigned char *b, size_t m)
{
	size_t shared = n < m ? n : m;
	switch (kind) {
	case NEAR_COPY:
		fill_near_copy(a, n, b, m);
		break;
	case SHIFTED:
		if (m > 1)
			memcpy(b, a + 1, m - 1);
		break;
	case EQUAL:
	case MUCH_SHORTER:
		memcpy(b, a, shared);
		break;
	case NEIGHBOURS_SWAPPED:
		memcpy(b, a, shared);
		swap_neighbours(b, shared);
		break;
	case SAME_ENDS:
		memcpy(b, a, shared / 3);
		memcpy(b + m - shared / 3, a + n - shared / 3, shared / 3);
		break;
	case ROTATED: { /* the best alignment leaves the diagonal by two fifths, nearly what unrelated strings can: narrower bands fail */
		const size_t moved = n * 2 / 5;
		memcpy(b, a + moved, m - moved);
		memcpy(b + m - moved, a, moved);
		break;
	}
	case SUBSTITUTED:
		memcpy(b, a, shared);
		for (size_t i = 0; i < shared; i += 1 + kernel_random_below(10))
			b[i] ^= 0x20;
		break;
	default:
		break;
	}
}

/* The bit-parallel algorithm of Myers (1999) in the form of Hyyro (2003): 64 rows at a time; a column's carries go down in turn. */
static uint32_t expected(const unsigned char *a, size_t n, const unsigned char *b, size_t m)
{
	if (n > m)
		return expected(b, m, a, n);
	if (n == 0)
		return (uint32_t)m;
	size_t blocks = (n + 63) / 64;
	uint64_t *equal = calloc(256 * blocks, sizeof *equal), *down = malloc(blocks * sizeof *down), *up = calloc(blocks, sizeof *up);
	uint32_t distance = (uint32_t)n;
	if (!equal || !down || !up)
		abort();
	for (size_t i = 0; i < n; i++)
		equal[a[i] * blocks + i / 64] |= UINT64_C(1) << i % 64;
	memset(down, 0xff, blocks * sizeof *down);
	for (size_t j = 0; j < m; j++) {
		const uint64_t *column = equal + b[j] * blocks;
		uint64_t plus_in = 1, minus_in = 0, plus = 0, minus = 0;
		for (size_t k = 0; k < blocks; k++) {
			uint64_t vp = down[k], vn = up[k], eq = column[k];
			uint64_t diagonal = eq | minus_in;
			diagonal = (((diagonal & vp) + vp) ^ vp) | diagonal | vn;
			plus = vn | ~(diagonal | vp);
			minus = diagonal & vp;
			uint64_t p = plus << 1 | plus_in, q = minus << 1 | minus_in;
			plus_in = plus >> 63;
			minus_in = minus >> 63;
			down[k] = q | ~(diagonal | p);
			up[k] = p & diagonal;
		}
		distance += (uint32_t)(plus >> (n - 1) % 64 & 1) - (uint32_t)(minus >> (n - 1) % 64 & 1);
	}
	free(equal);
	free(down);
	free(up);
	return distance;
}

static void fill(struct kernel_case *c)
{
	static const struct {
		unsigned letters, first_a, first_b;
	} ALPHABETS[KINDS] = {
		[TWO_LETTERS] = {2, 'a', 'a'}, [ALL_BYTES] = {256, 0, 0}, [NOTHING_SHARED] = {26, 'a', 'A'}, [ONE_LETTER] = {1, 'a', 'a'},
	};
	unsigned letters = ALPHABETS[c->kind].letters ? ALPHABETS[c->kind].letters : 26;
	unsigned first_a = ALPHABETS[c->kind].letters ? ALPHABETS[c->kind].first_a : 'a';
	unsigned first_b = ALPHABETS[c->kind].letters ? ALPHABETS[c->kind].first_b : 'a';
	unsigned char *a = c->in[0], *b = c->in[1];
	size_t n = c->in_bytes[0], m = c->in_bytes[1];
	fill_letters(a, n, letters, first_a);
	fill_letters(b, m, letters, first_b);
	make_other((enum kind)c->kind, a, n, b, m);
	c->want_value.u32 = expected(a, n, b, m);
}

static bool check(const struct kernel_case *c, const unsigned char *out, union kernel_word ret, char *why, size_t why_size)
{
	(void)out;
	if (ret.u32 == c->want_value.u32)
		return true;
	snprintf(why, why_size, "returned %" PRIu32 ", expected %" PRIu32, ret.u32, c->want_value.u32);
	return false;
}

const struct kernel kernel = {
	.name = "levenshtein",
	.in_align = {1, 1},
	.tests = SMALL_TESTS + LARGE_TESTS,
	.extra_checks = 3,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.check = check,
};

#endif
