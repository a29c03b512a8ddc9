/* count_substr: texts, patterns and where they are planted; the expectation is a filter on the first and last byte.

   What the benchmark's texts have that others lack, and what is done about it:
   - Random letters hardly ever match in part: a thousand near misses, one byte changed anywhere to any other byte, show whoever compares a part of the
     pattern only, or not all bits.
   - A random pattern has no period, so that its matches cannot overlap: half of the timed patterns repeat 1 to 11 letters, and stand in the text longer
     than they are.
   - The pattern is 12 bytes long: a check at the benchmark's size has a longer one, up to 130; shorter ones stand in texts of up to 2 MB.
   - All letters are equally frequent: a filter that relies on it is slow elsewhere, but right. */
#include "kernel.h"

#ifdef KERNEL_STUB

size_t count_substr(const char *text, size_t n, const char *pattern, size_t m);

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)out;
	ret->u64 = count_substr(in0, arg[0].u64, in1, arg[1].u64);
}

#else

#include "sizes.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum kind {
	LETTERS, ALL_A, DNA, PERIODIC, NEAR_MISSES, BOTH_ENDS, CUT_OFF, ALL_BYTES, WHOLE_TEXT, ALL_BUT_ONE, TOO_LONG, NO_PATTERN, LATE_DIFFERENCE, KINDS,
	PLANTED = KINDS, OVERLAPPING, ALPHABET, RUNS_SHARED, TELLING
};
static const char *const KIND_NAMES[] = {
	"random letters", "only 'a'", "four letters", "periodic", "patterns with one byte changed", "matches at both ends",
	"matches cut off by the ends", "all byte values", "the pattern is the text", "the pattern is the text but for one byte",
	"the pattern is longer", "empty pattern", "the pattern differs late", "planted in random letters", "overlapping matches in random letters",
	"an alphabet", "runs of one letter, shared", "matches, and patterns with the first or the last byte changed",
};
static struct sizes_tests tests;
static struct sizes large; /* the sizes of the shared cases */

/* kind: an enum kind, and of ALPHABET how many letters, times LETTER */
enum { LETTER = 256, LETTERS_MAX = 256, PATTERN_MAX = 16384 };

static const char *content_of(unsigned kind)
{
	static char alphabet[LETTERS_MAX + 1][32];
	const unsigned letters = kind / LETTER;
	if (letters == 0)
		return KIND_NAMES[kind];
	snprintf(alphabet[letters], sizeof alphabet[letters], "an alphabet of %u", letters);
	return alphabet[letters];
}

static void shape(struct kernel_case *c, size_t n, size_t m, unsigned kind)
{
	c->in_bytes[0] = n;
	c->in_bytes[1] = m;
	c->arg[0].u64 = n;
	c->arg[1].u64 = m;
	c->units = (double)n;
	c->kind = kind;
	c->content = content_of(kind);
	snprintf(c->note, sizeof c->note, "n = %zu, m = %zu, %s", n, m, c->content);
}

static size_t at_most(size_t size, size_t most)
{
	return size < most ? size : most;
}

/* Of what the class leaves open: the lengths from 1 to SIZES_DENSE in turn. */
static size_t pick_length(size_t n, enum kind kind, size_t *turn)
{
	switch (kind) {
	case NO_PATTERN:
		return 0;
	case TOO_LONG:
		return n + 1 + kernel_random_below(40);
	case WHOLE_TEXT:
	case ALL_BUT_ONE:
		return n;
	case LATE_DIFFERENCE:
		return n / 2;
	default:
		*turn = *turn % SIZES_DENSE + 1;
		return *turn <= n ? *turn : 1 + kernel_random_below(n ? n : 1);
	}
}

static unsigned pick_alphabet(struct sizes *letters)
{
	if (letters->count == 0) {
		sizes_run(letters, 1, LETTERS_MAX);
		sizes_shuffle(letters);
	}
	return ALPHABET + LETTER * (unsigned)letters->size[--letters->count];
}

/* Every length of the text, each of the small ones with every class; the long ones with classes and alphabets in turn. */
static void plan_texts(size_t size)
{
	static struct sizes list, letters;
	struct sizes_kinds kinds = sizes_kinds(KINDS);
	size_t turn = kernel_random_below(SIZES_DENSE), guarded[64];
	for (size_t residue = 0; residue < 64; residue++)
		guarded[residue] = kernel_random_below(16);
	letters.count = 0;
	sizes_small(&list, 1024, 4, size);
	for (size_t i = 0; i < list.count; i++) {
		const size_t n = list.size[i];
		const bool dense = n <= SIZES_DENSE;
		for (unsigned k = dense ? KINDS : i % 2; k > 0; k--) {
			const enum kind kind = (enum kind)sizes_next_kind(&kinds);
			const bool alphabet = !dense && i % 4 == 1;
			const size_t m = pick_length(n, alphabet ? ALPHABET : kind, &turn);
			sizes_test(&tests, n, m, alphabet ? pick_alphabet(&letters) : kind);
		}
		sizes_test(&tests, n, pick_length(n, TELLING, &turn), TELLING)->guarded = dense || n / 64 % 16 == guarded[n % 64];
	}
}

/* Every length of the pattern, in texts that are equal, a little longer, or many times as long. */
static void plan_patterns(void)
{
	static const enum kind FREE[] = {PERIODIC, BOTH_ENDS, ALPHABET, NEAR_MISSES, CUT_OFF, LETTERS, DNA};
	static struct sizes list, letters;
	struct sizes_kinds kinds = sizes_kinds(sizeof FREE / sizeof *FREE);
	letters.count = 0;
	sizes_small(&list, 64, 4, PATTERN_MAX);
	for (size_t i = 0; i < list.count; i++) {
		const size_t m = list.size[i], longer = i % 2 ? kernel_random_below(4) : kernel_random_below(m <= SIZES_DENSE ? 1000 : 100);
		const enum kind kind = FREE[sizes_next_kind(&kinds)];
		if (m == 0)
			continue;
		sizes_test(&tests, m + longer, m, kind == ALPHABET ? pick_alphabet(&letters) : kind);
		sizes_test(&tests, 3 * m + kernel_random_below(m), m, TELLING)->guarded = m <= SIZES_DENSE;
		if (m <= SIZES_DENSE)
			sizes_test(&tests, SIZES_HIGH + 1 + kernel_random_below(SIZES_HIGH), m, TELLING);
	}
}

/* Patterns of every magnitude in long texts of every magnitude. */
static void plan_long_texts(void)
{
	static const size_t LONGEST[] = {16, 64, 100, SIZES_DENSE, 1024, PATTERN_MAX}, TEXTS[] = {20000, 80000, 300000, 1000000};
	for (size_t i = 0, shortest = 1; i < sizeof LONGEST / sizeof *LONGEST; shortest = LONGEST[i++] + 1)
		for (size_t j = 0; j < sizeof TEXTS / sizeof *TEXTS; j++)
			sizes_test(&tests, TEXTS[j] + kernel_random_below(TEXTS[j]), shortest + kernel_random_below(LONGEST[i] - shortest + 1), TELLING);
}

/* Lengths that are nearly equal, and patterns much longer than the text. */
static void plan_pairs(void)
{
	for (size_t repeat = 0; repeat < 2; repeat++)
		for (size_t difference = 0; difference < 7; difference++) {
			const size_t n = 200 + kernel_random_below(1000), m = n + 3 - difference;
			sizes_test(&tests, n, m, m > n ? TOO_LONG : PERIODIC)->guarded = true;
		}
	for (size_t n = 1; n <= 4; n++)
		sizes_test(&tests, n, 1000 * n + kernel_random_below(1000), TOO_LONG);
	for (size_t i = 0; i < 8; i++) { /* the one is a multiple of the other */
		const size_t times = (size_t[]){2, 3, 4, 8}[i / 2], side = 2 + kernel_random_below(200);
		sizes_test(&tests, times * side, side, TELLING);
		sizes_test(&tests, side, times * side, TOO_LONG);
	}
	for (size_t i = 0; i < 4; i++) /* a long pattern in a text that is many times as long */
		sizes_test(&tests, 66000 + kernel_random_below(70000), SIZES_DENSE + 1 + kernel_random_below(3000), TELLING);
	for (size_t i = 0; i < 4; i++)
		sizes_test(&tests, 66000 + kernel_random_below(70000), 1 + kernel_random_below(40), (enum kind[]){ALL_A, PERIODIC, NEAR_MISSES, PLANTED}[i]);
	plan_long_texts();
}

/* Texts of every magnitude, all beginnings of one; the pattern repeats one letter, which stands in runs wherever one of them ends. */
static void plan_large(size_t size)
{
	const size_t m = 1 + kernel_random_below(40);
	sizes_large(&large, size);
	sizes_share(&tests, &large, m, RUNS_SHARED);
}

static size_t plan(size_t size)
{
	tests.count = 0;
	plan_texts(size);
	plan_patterns();
	plan_pairs();
	plan_large(size);
	return tests.count;
}

static void shape_test(size_t index, struct kernel_case *c)
{
	const struct sizes_test *test = &tests.test[index];
	shape(c, test->n, test->m, test->kind);
	c->guarded = test->guarded;
	c->inputs_only = test->inputs_only;
	c->shared = test->shared;
}

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	shape(c, size, variant == 2 ? 13 + kernel_random_below(SIZES_DENSE - 12) : 12, variant == 1 ? OVERLAPPING : PLANTED);
}

/* Eight bytes of one random number, each scaled to 0 .. letters - 1. */
static void fill_letters(unsigned char *p, size_t size, unsigned letters, unsigned char first)
{
	for (size_t i = 0; i < size; i += 8) {
		uint64_t r = kernel_random(), even = (r & 0x00ff00ff00ff00ff) * letters, odd = (r >> 8 & 0x00ff00ff00ff00ff) * letters;
		/* each 16-bit lane holds byte * letters: its high byte is the letter */
		uint64_t scaled = (even >> 8 & 0x00ff00ff00ff00ff) | (odd & 0xff00ff00ff00ff00);
		scaled += first * UINT64_C(0x0101010101010101);
		memcpy(p + i, &scaled, size - i < 8 ? size - i : 8);
	}
}

static void plant(unsigned char *text, size_t n, const unsigned char *pattern, size_t m)
{
	if (m > 0 && m <= n)
		memcpy(text + kernel_random_below(n - m + 1), pattern, m);
}

static void change_one_byte(unsigned char *p, size_t size)
{
	if (size > 0)
		p[kernel_random_below(size)] ^= (unsigned char)(1 + kernel_random_below(255));
}

/* Copies of the pattern side by side, most of them with one byte changed. */
static void fill_near_misses(unsigned char *text, size_t n, const unsigned char *pattern, size_t m)
{
	for (size_t i = 0; i < n; i += m) {
		size_t part = n - i < m ? n - i : m;
		memcpy(text + i, pattern, part);
		if (kernel_random_below(4))
			change_one_byte(text + i, part);
	}
}

static void fill_ends(unsigned char *text, size_t n, const unsigned char *pattern, size_t m)
{
	fill_letters(text, n, 20, 'A');
	if (m <= n) {
		memcpy(text, pattern, m);
		memcpy(text + n - m, pattern, m);
	}
}

/* What is left of a pattern that began before the text, and as much as fits of one that ends behind it. */
static void fill_cut_off(unsigned char *text, size_t n, const unsigned char *pattern, size_t m)
{
	fill_letters(text, n, 20, 'A');
	size_t part = m - 1 < n ? m - 1 : n;
	memcpy(text, pattern + m - part, part);
	memcpy(text + n - part, pattern, part);
}

/* The pattern, and if it has a period perhaps more of the same. */
static void plant_period(unsigned char *text, size_t n, const unsigned char *pattern, size_t m, size_t period)
{
	const size_t length = period < m ? m + kernel_random_below(2 * m) : m;
	if (length > n)
		return;
	unsigned char *at = text + kernel_random_below(n - length + 1);
	for (size_t i = 0; i < length; i++)
		at[i] = pattern[i % period];
}

/* In letters: matches, near misses and, if overlapping, runs of the pattern's only letter. */
static void plant_benchmark(unsigned char *text, size_t n, unsigned char *pattern, size_t m, bool overlapping)
{
	size_t planted = n / 65536 + kernel_random_below(n / 65536 + 1), longest = n < 100 ? n : 100;
	const size_t period = overlapping ? 1 : kernel_random_below(2) ? m : 1 + kernel_random_below(m);
	if (overlapping)
		memset(pattern, 'a', m);
	for (size_t i = period; i < m; i++)
		pattern[i] = pattern[i - period];
	for (size_t i = 0; i < planted; i++) {
		unsigned char near[300];
		memcpy(near, pattern, m);
		change_one_byte(near, m);
		plant(text, n, near, m);
		plant_period(text, n, pattern, m, period);
		if (overlapping) {
			size_t run = kernel_random_below(longest + 1);
			memset(text + kernel_random_below(n - run + 1), 'a', run);
		}
	}
}

/* A unit of 1 to 8 letters over and over, with a match at the very end, and now and then a byte that breaks the period. */
static void fill_periodic(unsigned char *text, size_t n, unsigned char *pattern, size_t m)
{
	unsigned char unit[8];
	const size_t period = 1 + kernel_random_below(sizeof unit), phase = m <= n ? (n - m) % period : 0;
	fill_letters(unit, sizeof unit, 26, 'a');
	for (size_t i = 0; i < n; i++)
		text[i] = unit[i % period];
	for (size_t i = 0; i < m; i++)
		pattern[i] = unit[(i + phase) % period];
	if (kernel_random_below(4) == 0 && n > m)
		change_one_byte(text, n - m);
}

/* Matches at both ends, and between them patterns of which one byte is wrong, the first or the last one more often than not. */
static void fill_telling(unsigned char *text, size_t n, const unsigned char *pattern, size_t m)
{
	if (m > n)
		return;
	for (size_t i = m; i + 2 * m <= n; i += m + kernel_random_below(m)) {
		const size_t wrong[] = {0, m - 1, m - 1, kernel_random_below(m)};
		memcpy(text + i, pattern, m);
		text[i + wrong[kernel_random_below(4)]] ^= 1;
	}
	memcpy(text, pattern, m);
	if (n >= 2 * m || kernel_random_below(2))
		memcpy(text + n - m, pattern, m);
	if (n >= 3 * m) { /* whatever was drawn: one with its last byte wrong */
		memcpy(text + m, pattern, m);
		text[2 * m - 1] ^= 1;
	}
}

/* Any byte values, as many different ones as it says; the pattern is a part of the text, at its end or its beginning more often than not. */
static void fill_alphabet(unsigned letters, unsigned char *text, size_t n, unsigned char *pattern, size_t m)
{
	unsigned char letter[256];
	for (unsigned i = 0; i < 256; i++) {
		const unsigned j = (unsigned)kernel_random_below(i + 1);
		letter[i] = letter[j];
		letter[j] = (unsigned char)i;
	}
	for (size_t i = 0; i < n; i++)
		text[i] = letter[kernel_random_below(letters)];
	for (size_t i = 0; i < m; i++)
		pattern[i] = letter[kernel_random_below(letters)];
	if (m <= n) {
		const size_t places[] = {0, n - m, n - m, kernel_random_below(n - m + 1)};
		memcpy(pattern, text + places[kernel_random_below(4)], m);
	}
}

static void fill_runs(unsigned char *text, size_t n, unsigned char *pattern, size_t m)
{
	fill_letters(text, n, 25, 'b');
	memset(pattern, 'a', m);
	for (size_t i = 0; i < large.count; i++) {
		const size_t before = m + kernel_random_below(m + 1), from = large.size[i] > before ? large.size[i] - before : 0;
		memset(text + from, 'a', at_most(before + m + kernel_random_below(m + 1), n - from));
	}
	for (size_t i = 0; i < n / 65536; i++) {
		const size_t run = at_most(kernel_random_below(3 * m + 1), n);
		memset(text + kernel_random_below(n - run + 1), 'a', run);
	}
}

static size_t expected(const unsigned char *text, size_t n, const unsigned char *pattern, size_t m);

/* Matches that end behind the first `done` bytes. */
static void expect(struct kernel_case *c, size_t done)
{
	const size_t n = c->arg[0].u64, m = c->arg[1].u64, from = done < m ? 0 : done - m + 1;
	c->want_value.u64 = (done ? c->want_value.u64 : 0) + expected(c->in[0] + from, n - from, c->in[1], m);
}

static void fill(struct kernel_case *c)
{
	unsigned char *text = c->in[0], *pattern = c->in[1];
	size_t n = c->in_bytes[0], m = c->in_bytes[1];
	fill_letters(text, n, 26, 'a');
	fill_letters(pattern, m, 26, 'a');
	switch ((enum kind)(c->kind % LETTER)) {
	case LETTERS:
		for (size_t i = 0; i <= n / (2 * m); i++)
			plant(text, n, pattern, m);
		break;
	case ALL_A:
		memset(text, 'a', n);
		memset(pattern, 'a', m);
		break;
	case DNA:
		fill_letters(text, n, 4, 'A');
		fill_letters(pattern, m, 4, 'A');
		plant(text, n, pattern, m);
		break;
	case PERIODIC:
		fill_periodic(text, n, pattern, m);
		break;
	case NEAR_MISSES:
		fill_near_misses(text, n, pattern, m);
		break;
	case BOTH_ENDS:
		fill_ends(text, n, pattern, m);
		break;
	case CUT_OFF:
		fill_cut_off(text, n, pattern, m);
		break;
	case ALL_BYTES:
		fill_letters(text, n, 256, 0);
		fill_letters(pattern, m, 256, 0);
		if (m > 1)
			pattern[kernel_random_below(m)] = 0; /* no terminator */
		for (size_t i = 0; i <= n / (4 * m); i++)
			plant(text, n, pattern, m);
		break;
	case WHOLE_TEXT:
		memcpy(pattern, text, m);
		break;
	case ALL_BUT_ONE:
		memcpy(pattern, text, m);
		change_one_byte(pattern, m);
		break;
	case TOO_LONG:
		memcpy(pattern, text, n);
		break;
	case NO_PATTERN:
		break;
	case LATE_DIFFERENCE:
		memset(text, 'a', n);
		memset(pattern, 'a', m);
		if (m > 0)
			pattern[m - 1] = 'b';
		plant(text, n, pattern, m);
		break;
	case PLANTED:
	case OVERLAPPING:
		plant_benchmark(text, n, pattern, m, c->kind == OVERLAPPING);
		break;
	case ALPHABET:
		fill_alphabet(c->kind / LETTER, text, n, pattern, m);
		break;
	case TELLING:
		fill_telling(text, n, pattern, m);
		break;
	case RUNS_SHARED:
		fill_runs(text, n, pattern, m);
		break;
	}
	if (!c->inputs_only)
		c->want_value.u64 = expected(text, n, pattern, m);
}

typedef int8_t bytes64 __attribute__((vector_size(64)));
typedef int8_t unaligned64 __attribute__((vector_size(64), aligned(1), may_alias));
typedef uint64_t words8 __attribute__((vector_size(64)));

static size_t expected(const unsigned char *text, size_t n, const unsigned char *pattern, size_t m)
{
	size_t count = 0, i = 0;
	if (m == 0 || m > n)
		return 0;
	size_t starts = n - m + 1;
	bytes64 first = (bytes64){0} + (int8_t)pattern[0], last = (bytes64){0} + (int8_t)pattern[m - 1];
	for (; i + 64 <= starts; i += 64) {
		words8 hit = (words8)((*(const unaligned64 *)(text + i) == first) & (*(const unaligned64 *)(text + i + m - 1) == last));
		if (!(hit[0] | hit[1] | hit[2] | hit[3] | hit[4] | hit[5] | hit[6] | hit[7]))
			continue;
		for (size_t j = i; j < i + 64; j++)
			count += text[j] == pattern[0] && text[j + m - 1] == pattern[m - 1] && memcmp(text + j, pattern, m) == 0;
	}
	for (; i < starts; i++)
		count += memcmp(text + i, pattern, m) == 0;
	return count;
}

static bool check(const struct kernel_case *c, const unsigned char *out, union kernel_word ret, char *why, size_t why_size)
{
	(void)out;
	if (ret.u64 == c->want_value.u64)
		return true;
	snprintf(why, why_size, "returned %" PRIu64 ", expected %" PRIu64, ret.u64, c->want_value.u64);
	return false;
}

const struct kernel kernel = {
	.name = "count_substr",
	.args = {{"n", KERNEL_U64}, {"m", KERNEL_U64}},
	.in_align = {1, 1},
	.plan = plan,
	.extra_checks = 2,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.expect = expect,
	.check = check,
};

#endif
