/* The sizes that the small tests of a grading are made of, drawn anew for each.  Only for the judge's side of a bench.c.

   Fixed lists of sizes were seen through: none had a length of 2 modulo 4, so a quarter of all lengths could be wrong.  What is drawn here reaches
   with certainty, whatever the random numbers:
   - every value from 0 to SIZES_DENSE;
   - every residue modulo every number up to `modulus` above SIZES_DENSE, and again above SIZES_HIGH where the kernel's sizes go there;
   - powers of two and the benchmark's size, each with both neighbours;
   - every range of half an octave: the octaves [2^k, 2^(k+1)) are cut into quarters, and each quarter of the small ones has a random size of its own.
     Of the large ones the second and the third quarter have: a range of half an octave without a power of two lies inside one octave, and
     begins before that octave's first quarter ends, so that it holds the second, or ends after the third one does.
   Where they are is random: no list of "sizes that are not tested" can be written down.

   sizes_small() is cheap enough for several classes of contents, sizes_large() is meant to be called once, on inputs shared by all (kernel.h).
   A kernel with two sizes takes a list for each and pairs them in a random order (sizes_shuffle); pairs that matter by themselves are its own. */
#ifndef SIZES_H
#define SIZES_H
#include "kernel.h"
#include <math.h>
#include <stdlib.h>

enum { SIZES_DENSE = 130, SIZES_HIGH = 4096, SIZES_LARGE = 16384, SIZES_MAX = 4096 };

struct sizes {
	size_t count;
	size_t size[SIZES_MAX];
};

static inline void sizes_add(struct sizes *list, size_t size)
{
	if (list->count == SIZES_MAX)
		abort();
	list->size[list->count++] = size;
}

/* from, from + 1, ... to */
static inline void sizes_run(struct sizes *list, size_t from, size_t to)
{
	for (size_t size = from; size <= to; size++)
		sizes_add(list, size);
}

/* `modulus` sizes in a row, hence every residue of every modulus up to it, from somewhere among the `spread` times as many above `low`. */
static inline void sizes_residues(struct sizes *list, size_t low, size_t modulus, size_t spread)
{
	const size_t first = low + 1 + kernel_random_below((spread - 1) * modulus + 1);
	sizes_run(list, first, first + modulus - 1);
}

/* Powers of two from `low` to `high`, with those of their neighbours that are not above `most`. */
static inline void sizes_powers(struct sizes *list, size_t low, size_t high, size_t most)
{
	for (size_t power = 1; power <= high; power *= 2)
		for (size_t size = power - 1; power >= low && size <= power + 1 && size <= most; size++)
			sizes_add(list, size);
}

/* The sizes a <= n < b of quarter `quarter` of the octave that begins with 2^k: a random one of those in [low, high], if there are any. */
static inline void sizes_quarter(struct sizes *list, unsigned k, unsigned quarter, size_t low, size_t high)
{
	size_t begin = (size_t)ceil(exp2(k + quarter / 4.0)), end = (size_t)ceil(exp2(k + (quarter + 1) / 4.0));
	if (begin < low)
		begin = low;
	if (end > high + 1)
		end = high + 1;
	if (begin < end)
		sizes_add(list, begin + kernel_random_below(end - begin));
}

static inline int sizes_ascending(const void *x, const void *y)
{
	const size_t a = *(const size_t *)x, b = *(const size_t *)y;
	return (a > b) - (a < b);
}

/* In ascending order, each once. */
static inline void sizes_sort(struct sizes *list)
{
	size_t kept = 0;
	qsort(list->size, list->count, sizeof list->size[0], sizes_ascending);
	for (size_t i = 0; i < list->count; i++)
		if (kept == 0 || list->size[i] != list->size[kept - 1])
			list->size[kept++] = list->size[i];
	list->count = kept;
}

static inline void sizes_shuffle(struct sizes *list)
{
	for (size_t i = list->count; i > 1; i--) {
		const size_t j = kernel_random_below(i), size = list->size[i - 1];
		list->size[i - 1] = list->size[j];
		list->size[j] = size;
	}
}

/* The sizes up to SIZES_LARGE and `most`, ascending.  spread: see sizes_residues(); 1 where a call costs more than its size. */
static inline void sizes_small(struct sizes *list, size_t modulus, size_t spread, size_t most)
{
	const size_t high = most < SIZES_LARGE ? most : SIZES_LARGE;
	list->count = 0;
	sizes_run(list, 0, SIZES_DENSE);
	sizes_residues(list, SIZES_DENSE, modulus, spread);
	if (most > SIZES_HIGH)
		sizes_residues(list, SIZES_HIGH, modulus, spread);
	sizes_powers(list, SIZES_DENSE, high, most + 1);
	for (unsigned k = 7; (size_t)1 << k <= high; k++)
		for (unsigned quarter = 0; quarter < 4; quarter++)
			sizes_quarter(list, k, quarter, SIZES_DENSE, high);
	if (most <= SIZES_LARGE)
		sizes_run(list, most ? most - 1 : 0, most + 1);
	sizes_sort(list);
}

/* The sizes above SIZES_LARGE up to the upper neighbour of `most`, ascending: none if `most` is small.  The last one is the largest.  `most` itself is
   not among them: it is the benchmark's, which the checks and the timed rounds call. */
static inline void sizes_large(struct sizes *list, size_t most)
{
	list->count = 0;
	if (most <= SIZES_LARGE)
		return;
	sizes_powers(list, SIZES_LARGE + 1, most - 1, most - 1);
	for (unsigned k = 14; (size_t)1 << k <= most; k++)
		for (unsigned quarter = 1; quarter < 3; quarter++)
			sizes_quarter(list, k, quarter, SIZES_LARGE, most - 1);
	sizes_add(list, most - 1);
	sizes_add(list, most + 1);
	sizes_sort(list);
}

/* ---------- the list of tests that plan() makes and shape_test() reads ---------- */

struct sizes_test {
	size_t n, m;         /* m: of kernels with a second size */
	unsigned kind;
	bool guarded, inputs_only, shared;
};

struct sizes_tests {
	size_t count, room;
	struct sizes_test *test;
};

static inline struct sizes_test *sizes_test(struct sizes_tests *tests, size_t n, size_t m, unsigned kind)
{
	if (tests->count == tests->room) {
		tests->room = 2 * tests->room + 1024;
		tests->test = realloc(tests->test, tests->room * sizeof *tests->test);
		if (!tests->test)
			abort();
	}
	tests->test[tests->count] = (struct sizes_test){.n = n, .m = m, .kind = kind};
	return &tests->test[tests->count++];
}

/* Classes of contents in turn, in a random order that is drawn anew for every round: each has been used after `count` calls, and which one meets
   which size is unknown. */
enum { SIZES_KINDS_MAX = 32 };
struct sizes_kinds {
	unsigned count, used;
	unsigned kind[SIZES_KINDS_MAX];
};

static inline unsigned sizes_next_kind(struct sizes_kinds *kinds)
{
	if (kinds->used % kinds->count == 0)
		for (unsigned i = kinds->count; i > 1; i--) {
			const unsigned j = (unsigned)kernel_random_below(i), kind = kinds->kind[i - 1];
			kinds->kind[i - 1] = kinds->kind[j];
			kinds->kind[j] = kind;
		}
	return kinds->kind[kinds->used++ % kinds->count];
}

static inline struct sizes_kinds sizes_kinds(unsigned count)
{
	struct sizes_kinds kinds = {.count = count};
	for (unsigned i = 0; i < count; i++)
		kinds.kind[i] = i;
	return kinds;
}

/* All sizes of an ascending list on shared inputs. */
static inline void sizes_share(struct sizes_tests *tests, const struct sizes *list, size_t m, unsigned kind)
{
	if (list->count > 0)
		sizes_test(tests, list->size[list->count - 1], m, kind)->inputs_only = true;
	for (size_t i = 0; i < list->count; i++)
		sizes_test(tests, list->size[i], m, kind)->shared = true;
}

/* What most kernels with one size do: every small size in a telling class, where one element too few, too many or at a wrong place is certain to show,
   and in others in turn, one of them guarded; then the large sizes, of one class, on shared inputs. */
struct sizes_recipe {
	unsigned kinds;                /* classes 0 .. kinds - 1 for the small sizes */
	struct sizes_kinds telling;
	unsigned dense;                /* how many of all classes a size up to SIZES_DENSE gets beside a telling one */
	unsigned sparse_one_in;        /* one larger size in so many gets another class */
	unsigned shared_kind;          /* for the large sizes */
	size_t modulus, spread;
	size_t guarded_up_to;          /* the largest size that is also called flush against the guards; 0: all small ones are */
};

static inline void sizes_plan(struct sizes_tests *tests, const struct sizes_recipe *r, size_t most)
{
	static struct sizes list;
	struct sizes_kinds kinds = sizes_kinds(r->kinds), telling = r->telling;
	size_t turn[64];
	for (size_t residue = 0; residue < 64; residue++)
		turn[residue] = kernel_random_below(16);
	tests->count = 0;
	sizes_small(&list, r->modulus, r->spread, most);
	for (size_t i = 0; i < list.count; i++) {
		const size_t n = list.size[i];
		/* of a thousand residues one in sixteen, so that each residue modulo 64 is guarded once */
		const bool dense = n <= SIZES_DENSE, in_turn = dense || r->modulus <= 64 || n / 64 % 16 == turn[n % 64];
		const unsigned others = dense ? r->dense : kernel_random_below(r->sparse_one_in) == 0;
		for (unsigned k = 0; k < others; k++)
			sizes_test(tests, n, 0, sizes_next_kind(&kinds));
		sizes_test(tests, n, 0, sizes_next_kind(&telling))->guarded = in_turn && (r->guarded_up_to == 0 || n <= r->guarded_up_to);
	}
	sizes_large(&list, most);
	sizes_share(tests, &list, 0, r->shared_kind);
}

#endif
