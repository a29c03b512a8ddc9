/* count_substr: texts, patterns and where they are planted; the expectation is a filter on the first and last byte. */
#include "kernel.h"

#ifdef KERNEL_STUB

size_t count_substr(const char *text, size_t n, const char *pattern, size_t m);

void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)out;
	ret->u64 = count_substr(in0, arg[0].u64, in1, arg[1].u64);
}

#else

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum kind {
	LETTERS, ALL_A, DNA, PERIODIC, NEAR_MISSES, BOTH_ENDS, CUT_OFF, ALL_BYTES, WHOLE_TEXT, ALL_BUT_ONE, TOO_LONG, NO_PATTERN, LATE_DIFFERENCE, KINDS,
	PLANTED = KINDS, OVERLAPPING
};
static const char *const KIND_NAMES[] = {
	"random letters", "only 'a'", "four letters", "periodic", "patterns with one byte changed", "matches at both ends",
	"matches cut off by the ends", "all byte values", "the pattern is the text", "the pattern is the text but for one byte",
	"the pattern is longer", "empty pattern", "the pattern differs late", "planted in random letters", "overlapping matches in random letters",
};
static const size_t SIZES[] = {KERNEL_TEST_SIZES};
static const size_t PATTERNS[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 255, 256, 300};
enum { SMALL_TESTS = sizeof SIZES / sizeof *SIZES * KINDS, LARGE_TESTS = 8 };

static size_t pick_length(size_t n, enum kind kind)
{
	size_t most = kind == DNA || kind == PERIODIC ? 8 : kind == ALL_A ? 64 : 300;
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
		if (most > n)
			most = n;
		if (most == 0)
			return 1;
		for (;;) {
			size_t m = PATTERNS[kernel_random_below(sizeof PATTERNS / sizeof *PATTERNS)];
			if (m <= most)
				return m;
		}
	}
}

static void shape(struct kernel_case *c, size_t n, size_t m, enum kind kind)
{
	c->in_bytes[0] = n;
	c->in_bytes[1] = m;
	c->arg[0].u64 = n;
	c->arg[1].u64 = m;
	c->units = (double)n;
	c->kind = kind;
	snprintf(c->note, sizeof c->note, "n = %zu, m = %zu, %s", n, m, KIND_NAMES[kind]);
}

static void shape_test(size_t index, struct kernel_case *c)
{
	if (index < SMALL_TESTS) {
		size_t n = SIZES[index / KINDS];
		shape(c, n, pick_length(n, (enum kind)(index % KINDS)), (enum kind)(index % KINDS));
		return;
	}
	/* more than 65536 matches, and texts longer than any block */
	size_t n = 66000 + kernel_random_below(70000);
	switch (index - SMALL_TESTS) {
	case 0:
		shape(c, n, 1, ALL_A);
		break;
	case 1:
		shape(c, n, 3, PERIODIC);
		break;
	case 2:
		shape(c, n, 40, NEAR_MISSES);
		break;
	default:
		shape(c, n, pick_length(n, LETTERS), index % 2 ? PLANTED : OVERLAPPING);
	}
}

static void shape_bench(size_t size, unsigned variant, struct kernel_case *c)
{
	shape(c, size, 12, variant == 0 ? PLANTED : OVERLAPPING);
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

/* In letters: matches, near misses and, if overlapping, runs of the pattern's only letter. */
static void plant_benchmark(unsigned char *text, size_t n, unsigned char *pattern, size_t m, bool overlapping)
{
	size_t planted = n / 65536 + kernel_random_below(n / 65536 + 1), longest = n < 100 ? n : 100;
	if (overlapping)
		memset(pattern, 'a', m);
	for (size_t i = 0; i < planted; i++) {
		unsigned char near[300];
		memcpy(near, pattern, m);
		change_one_byte(near, m);
		plant(text, n, near, m);
		plant(text, n, pattern, m);
		if (overlapping) {
			size_t run = kernel_random_below(longest + 1);
			memset(text + kernel_random_below(n - run + 1), 'a', run);
		}
	}
}

static size_t expected(const unsigned char *text, size_t n, const unsigned char *pattern, size_t m);

static void fill(struct kernel_case *c)
{
	unsigned char *text = c->in[0], *pattern = c->in[1];
	size_t n = c->in_bytes[0], m = c->in_bytes[1];
	fill_letters(text, n, 26, 'a');
	fill_letters(pattern, m, 26, 'a');
	switch ((enum kind)c->kind) {
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
		for (size_t i = 0; i < n; i++)
			text[i] = "ab"[i % 2];
		for (size_t i = 0; i < m; i++)
			pattern[i] = "ab"[i % 2];
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
	}
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
	.in_align = {1, 1},
	.tests = SMALL_TESTS + LARGE_TESTS,
	.extra_checks = 1,
	.shape_test = shape_test,
	.shape_bench = shape_bench,
	.fill = fill,
	.check = check,
};

#endif
