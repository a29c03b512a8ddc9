/* levenshtein: pairs of strings that tell the edit distance from what resembles it; the expectation is bit-parallel.

   What the benchmark's pairs have that others lack, and what is done about it:
   - The best path of unrelated strings stays within 150 of the diagonal, so that a band passes, in general wrong; if all pairs were of one kind, or of a few
     that a look at some pieces tells apart, so would a band around what that kind is known to do.  A pair is therefore drawn from a mixture: unrelated,
     rotated by two fifths, shifted, going ahead and then behind, cut into blocks that are moved, or so heavily edited that hardly five letters in a row
     survive, which looks like unrelated strings and has its best path off the diagonal; and in most of them pieces lie far from where the path runs.
     The distance is a fifth of the length or more, seven tenths on average.  A band of a third of the length to either side is wrong in a fifth of the
     calls, one of 256 in four of five, one around the diagonals on which pieces are found in common in a quarter.  A band that proves itself wide
     enough (Ukkonen 1985) stays allowed: it has to be most of the matrix here.
   - Lengths are equal and fixed, and there are 26 letters: the checks at that size have other lengths, all byte values, and near copies; small tests
     have every length, and every number of letters. */
#include "kernel.h"

#ifdef KERNEL_STUB

uint32_t levenshtein(const uint8_t *a, size_t n, const uint8_t *b, size_t m);

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)out;
	ret->u32 = levenshtein(in0, arg[0].u64, in1, arg[1].u64);
}

#else

#include "sizes.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	/* of any two lengths */
	UNRELATED, TWO_LETTERS, ALL_BYTES, ONE_LETTER, NOTHING_SHARED, MIXTURE, FREE_KINDS,
	/* of two lengths that go together: other_length() */
	NEAR_COPY = FREE_KINDS, SAME_ENDS, MUCH_SHORTER, MUCH_LONGER, EMPTY, SAME_LENGTH,
	SHIFTED = SAME_LENGTH, EQUAL, NEIGHBOURS_SWAPPED, SUBSTITUTED, ROTATED, KINDS,
	/* and of an alphabet of kind - ALPHABET letters */
	ALPHABET = KINDS
};
static const char *const KIND_NAMES[] = {
	[UNRELATED] = "unrelated letters", [TWO_LETTERS] = "two letters", [ALL_BYTES] = "all byte values", [ONE_LETTER] = "one letter",
	[NOTHING_SHARED] = "no byte in common", [MIXTURE] = "edited, moved and unrelated pieces", [NEAR_COPY] = "near copies",
	[SAME_ENDS] = "same beginning and end", [MUCH_SHORTER] = "b is much shorter", [MUCH_LONGER] = "b is much longer", [EMPTY] = "b is empty",
	[SHIFTED] = "b is a moved by one", [EQUAL] = "equal", [NEIGHBOURS_SWAPPED] = "neighbours swapped", [SUBSTITUTED] = "only substitutions",
	[ROTATED] = "the first two fifths moved to the end",
};
/* Distances above 65535, and strings of more than any block. */
static const struct {
	size_t n, m;
	enum kind kind;
} LARGE[] = {
	{66001, 3, UNRELATED}, {3, 66001, UNRELATED}, {65536, 1, NOTHING_SHARED}, {0, 70000, UNRELATED}, {70000, 0, UNRELATED}, {2049, 4097, NEAR_COPY},
	{4097, 4099, NEAR_COPY}, {4095, 4096, ALL_BYTES}, {511, 5000, UNRELATED}, {4160, 4160, SHIFTED}, {3000, 2000, TWO_LETTERS}, {2500, 2500, ROTATED},
};
enum {
	LARGE_TESTS = sizeof LARGE / sizeof *LARGE,
	MODULUS = 1024,     /* blocks of bytes, or of rows, are no longer */
	LETTERS_MOST = 256,
	RESIDUE_PAIRS = 64,
	MIXTURES = 12, MIXTURE_FROM = 200, MIXTURE_TO = 1600,
	SHORT_BESIDE_LONG = 4, /* a cell takes an answer as slow as the reference 1 ns, and there are 2048 such pairs */
};

static const char *content_of(unsigned kind)
{
	static char alphabet[LETTERS_MOST + 1][32];
	if (kind < ALPHABET)
		return KIND_NAMES[kind];
	char *name = alphabet[kind - ALPHABET];
	snprintf(name, sizeof alphabet[0], "an alphabet of %u", kind - ALPHABET);
	return name;
}

static void shape(struct kernel_case *c, size_t n, size_t m, unsigned kind)
{
	const char *name = content_of(kind);
	c->in_bytes[0] = n;
	c->in_bytes[1] = m;
	c->arg[0].u64 = n;
	c->arg[1].u64 = m;
	c->units = (double)n * (double)m;
	c->kind = kind;
	c->content = name;
	snprintf(c->note, sizeof c->note, "n = %zu, m = %zu, %s", n, m, name);
}

static size_t from_to(size_t low, size_t high)
{
	return low + kernel_random_below(high - low + 1);
}

static size_t other_length(size_t n, enum kind kind)
{
	size_t most = n < 6 ? n : 6;
	switch (kind) {
	case NEAR_COPY:
	case SAME_ENDS:
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

/* ---------- the small tests of one grading ---------- */
static struct sizes_tests tests;

/* Each length as n and as m, beside another that is drawn: long ones beside short ones. */
static void plan_lengths(size_t most)
{
	static struct sizes lengths;
	struct sizes_kinds kinds = sizes_kinds(FREE_KINDS);
	sizes_small(&lengths, 64, 4, most);
	sizes_residues(&lengths, SIZES_DENSE, MODULUS, 1);
	if (most > SIZES_HIGH)
		sizes_residues(&lengths, SIZES_HIGH, MODULUS, 1);
	sizes_sort(&lengths);
	for (size_t i = 0; i < lengths.count; i++) {
		const size_t length = lengths.size[i], other_most = length > SIZES_HIGH ? SHORT_BESIDE_LONG : SIZES_DENSE;
		const bool dense = length <= SIZES_DENSE, guarded = dense || length % 16 == length / 64 % 16;
		for (unsigned k = dense ? 2 : 1; k > 0; k--) {
			sizes_test(&tests, length, from_to(0, other_most), sizes_next_kind(&kinds))->guarded = k == 1 && guarded;
			sizes_test(&tests, from_to(0, other_most), length, sizes_next_kind(&kinds))->guarded = k == 1 && guarded;
		}
	}
}

/* Lengths that go together: equal, nearly equal, and far from it. */
static void plan_pairs(void)
{
	for (size_t n = 0; n <= SIZES_DENSE; n++) {
		sizes_test(&tests, n, n, (unsigned)from_to(SAME_LENGTH, KINDS - 1));
		const enum kind kind = (enum kind)from_to(FREE_KINDS, SAME_LENGTH - 1);
		sizes_test(&tests, n, other_length(n, kind), kind);
	}
	for (unsigned kind = FREE_KINDS; kind < KINDS; kind++)
		for (size_t step = 0; step < 4; step++) {
			const size_t n = from_to(SIZES_DENSE + 1, 1000);
			sizes_test(&tests, n, other_length(n, (enum kind)kind), kind);
		}
	for (size_t n = SIZES_DENSE + 1; n <= SIZES_DENSE + 7; n++)
		sizes_test(&tests, SIZES_DENSE + 4, n, NEAR_COPY);
	for (size_t pair = 0; pair < RESIDUE_PAIRS; pair++)
		sizes_test(&tests, 8 * from_to(0, 20) + pair / 8, 8 * from_to(0, 20) + pair % 8, MIXTURE);
	for (size_t i = 0; i < 10; i++) { /* one is a multiple of the other, or longer by a power of two */
		const size_t times = (size_t[]){2, 3, 4, 8, 16}[i % 5], more = 8ul << i % 5, n = from_to(2, 60), m = from_to(1, SIZES_DENSE);
		sizes_test(&tests, i < 5 ? times * n : n, i < 5 ? n : times * n, MIXTURE);
		sizes_test(&tests, i < 5 ? m + more : m, i < 5 ? m : m + more, MIXTURE);
	}
	for (size_t half = 1; half <= SIZES_DENSE; half += from_to(1, 16)) {
		sizes_test(&tests, 2 * half, half, MIXTURE);
		sizes_test(&tests, half, 2 * half, MIXTURE);
	}
}

static size_t plan(size_t size)
{
	tests.count = 0;
	plan_lengths(size);
	plan_pairs();
	for (unsigned letters = 1; letters <= LETTERS_MOST; letters++)
		sizes_test(&tests, from_to(0, SIZES_DENSE), from_to(0, SIZES_DENSE), ALPHABET + letters);
	for (size_t i = 0; i < MIXTURES; i++)
		sizes_test(&tests, from_to(MIXTURE_FROM, MIXTURE_TO), from_to(MIXTURE_FROM, MIXTURE_TO), MIXTURE);
	for (size_t i = 0; i < LARGE_TESTS; i++)
		sizes_test(&tests, LARGE[i].n, LARGE[i].m, LARGE[i].kind);
	return tests.count;
}

static void shape_test(size_t index, struct kernel_case *c)
{
	const struct sizes_test *test = &tests.test[index];
	shape(c, test->n, test->m, test->kind);
	c->guarded = test->guarded;
}

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	if (variant == 0)
		shape(c, size, size, MIXTURE);
	else if (variant == 1)
		shape(c, size, size + size / 500, NEAR_COPY);
	else if (variant == 2)
		shape(c, size - size / 3, size, ALPHABET + LETTERS_MOST);
	else
		shape(c, size + 1 + kernel_random_below(size / 64 + 1), size - 1 - kernel_random_below(size / 8 + 1), MIXTURE);
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

/* ---------- mixtures ---------- */
struct alphabet {
	unsigned letters, first, step; /* an odd step: all bytes differ */
};

static unsigned char letter(const struct alphabet *of)
{
	return (unsigned char)(of->first + of->step * kernel_random_below(of->letters));
}

static void fill_letters(unsigned char *p, size_t size, const struct alphabet *of)
{
	for (size_t i = 0; i < size; i++)
		p[i] = letter(of);
}

static double between(double low, double high)
{
	return low + (high - low) * kernel_random_unit();
}

/* b, as far as it has been written */
struct writer {
	unsigned char *b;
	size_t used, m;
	struct alphabet alphabet;
};

static void write_byte(struct writer *w, unsigned char byte)
{
	if (w->used < w->m)
		w->b[w->used++] = byte;
}

static void write_unrelated(struct writer *w, size_t length)
{
	for (; length > 0 && w->used < w->m; length--)
		write_byte(w, letter(&w->alphabet));
}

/* A piece of a, of which so large a share of letters is edited: half are substituted, a quarter deleted, and a quarter has an insertion before it. */
static void write_edited(struct writer *w, const unsigned char *piece, size_t length, double edited)
{
	const uint64_t edit_below = (uint64_t)(edited * 65536);
	for (size_t i = 0; i < length && w->used < w->m; i++) {
		const uint64_t bits = kernel_random();
		if ((bits & 65535) >= edit_below) {
			write_byte(w, piece[i]);
			continue;
		}
		if (bits >> 16 & 1) {
			write_byte(w, letter(&w->alphabet));
		} else if (bits >> 17 & 1) {
			write_byte(w, letter(&w->alphabet));
			write_byte(w, piece[i]);
		}
	}
}

/* b goes `shift` letters ahead of a, or stays so many behind, for its whole length. */
static void write_shifted(struct writer *w, const unsigned char *a, size_t n, size_t shift, double edited)
{
	if (kernel_random_below(2))
		write_unrelated(w, shift);
	else
		a += shift, n -= shift;
	write_edited(w, a, n, edited);
}

/* First a piece from behind, then the piece before it, and perhaps the other way round. */
static void write_rotated(struct writer *w, const unsigned char *a, size_t n, size_t moved, double edited)
{
	if (kernel_random_below(2))
		moved = n - moved;
	write_edited(w, a + moved, n - moved, edited);
	write_edited(w, a, moved, edited);
}

/* A random order, or one where no block moves far, but not many stay where they were. */
static void shuffle_blocks(size_t *order, size_t blocks)
{
	const size_t reach = from_to(blocks / 3 + 1, blocks);
	size_t same;
	do {
		same = 0;
		for (size_t k = 0; k < blocks; k++)
			order[k] = k;
		for (size_t k = 0; k + 1 < blocks; k++) {
			const size_t left = blocks - k, with = k + kernel_random_below(left < reach ? left : reach), other = order[with];
			order[with] = order[k];
			order[k] = other;
		}
		for (size_t k = 0; k < blocks; k++)
			same += order[k] == k;
	} while (blocks > 1 && same > blocks / 3);
}

/* a in blocks, in a random order, a few of them lost: any of many paths through some of them may be the best. */
static void write_blocks(struct writer *w, const unsigned char *a, size_t n, size_t blocks, double edited)
{
	enum { BLOCKS_MAX = 64 };
	size_t begin[BLOCKS_MAX + 1], order[BLOCKS_MAX];
	if (blocks > BLOCKS_MAX)
		blocks = BLOCKS_MAX;
	for (size_t k = 0; k <= blocks; k++)
		begin[k] = n * k / blocks;
	for (size_t k = 1; k < blocks; k++)
		begin[k] -= kernel_random_below((begin[k] - begin[k - 1]) / 2 + 1);
	shuffle_blocks(order, blocks);
	for (size_t k = 0; k < blocks; k++) {
		const size_t from = begin[order[k]], length = begin[order[k] + 1] - from;
		if (kernel_random_below(6) == 0)
			write_unrelated(w, length);
		else
			write_edited(w, a + from, length, edited);
	}
}

/* Ahead of a by one shift for a part of the length, behind by another for the rest. */
static void write_zigzag(struct writer *w, const unsigned char *a, size_t n, size_t ahead, size_t behind, double edited)
{
	const size_t turn = ahead + (size_t)(between(0.35, 0.65) * (double)(n - ahead - behind));
	write_edited(w, a + ahead, turn - ahead, edited);
	write_unrelated(w, ahead + behind);
	write_edited(w, a + turn, n - turn - behind, edited);
}

/* Pieces of a where the best path has no use for them, or hardly any: what is found in both strings does not say where it runs. */
static void paste_strays(const unsigned char *a, size_t n, unsigned char *b, size_t m)
{
	const size_t shorter = n < m ? n : m;
	for (size_t strays = kernel_random_below(7); strays > 0 && shorter >= 64; strays--) {
		const size_t length = from_to(8, shorter / 24 + 8);
		memcpy(b + kernel_random_below(m - length + 1), a + kernel_random_below(n - length + 1), length);
	}
}

static void fill_mixture(const unsigned char *a, size_t n, unsigned char *b, size_t m, const struct alphabet *alphabet)
{
	struct writer w = {.b = b, .m = m, .alphabet = *alphabet};
	const double length = (double)n;
	bool strays = true;
	switch (kernel_random_below(12)) {
	case 0: /* unrelated */
		break;
	case 1:
	case 2:
	case 3: /* nearly as far off the diagonal as the best path of any strings can be */
		write_rotated(&w, a, n, (size_t)(between(0.34, 0.42) * length), between(0, 0.05));
		break;
	case 4:
		write_shifted(&w, a, n, (size_t)(between(0.1, 0.25) * length), between(0.1, 0.35));
		break;
	case 5:
		write_zigzag(&w, a, n, (size_t)(between(0.05, 0.17) * length), (size_t)(between(0.05, 0.17) * length), between(0, 0.2));
		break;
	case 6:
	case 7:
		write_blocks(&w, a, n, from_to(4, 40), between(0, 0.4));
		break;
	default: /* so much edited that hardly five letters in a row are left, and yet the best path follows them, off the diagonal */
		write_shifted(&w, a, n, (size_t)(between(0.06, 0.15) * length), between(0.6, 0.78));
		strays = kernel_random_below(4) == 0;
		break;
	}
	write_unrelated(&w, m);
	if (strays)
		paste_strays(a, n, b, m);
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

static struct alphabet alphabet_of(unsigned kind)
{
	if (kind > ALPHABET)
		return (struct alphabet){kind - ALPHABET, (unsigned)kernel_random_below(256), 1 + 2 * (unsigned)kernel_random_below(128)};
	switch (kind) {
	case TWO_LETTERS:
		return (struct alphabet){2, 'a', 1};
	case ONE_LETTER:
		return (struct alphabet){1, 'a', 1};
	case ALL_BYTES:
		return (struct alphabet){256, 0, 1};
	default:
		return (struct alphabet){26, 'a', 1};
	}
}

static void fill(struct kernel_case *c)
{
	const struct alphabet alphabet = alphabet_of(c->kind), other = c->kind == NOTHING_SHARED ? (struct alphabet){26, 'A', 1} : alphabet;
	unsigned char *a = c->in[0], *b = c->in[1];
	size_t n = c->in_bytes[0], m = c->in_bytes[1];
	fill_letters(a, n, &alphabet);
	fill_letters(b, m, &other);
	if (c->kind == MIXTURE || c->kind > ALPHABET)
		fill_mixture(a, n, b, m, &alphabet);
	else
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
	.args = {{"n", KERNEL_U64}, {"m", KERNEL_U64}},
	.in_align = {1, 1},
	.plan = plan,
	.extra_checks = 3,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.check = check,
};

#endif
