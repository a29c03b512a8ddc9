/* One checked call: poison or refresh the output, call, verify every result and every byte around it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "judge.h"

enum { MARGIN = 4096 };                /* bytes around the output that are poisoned and checked in small tests; all of it in the benchmark */

static void touch(const unsigned char *p, size_t bytes)       /* the same cache state before every call */
{
	for (size_t i = 0; i < bytes; i += 64) (void)*(const volatile unsigned char *)(p + i);
}
static void poison(unsigned char *o, size_t low, size_t high, uint64_t p)
{
	for (; low + 8 <= high; low += 8) memcpy(o + low, &p, 8);
}
/* the first byte in [low, high) that is not poison any more, or high */
static size_t spoiled(const unsigned char *o, size_t low, size_t high, uint64_t p)
{
	for (; low < high && low & 7; low++)
		if (o[low] != (unsigned char)(p >> 8 * (low & 7))) return low;
	for (; low + 8 <= high; low += 8)
		if (memcmp(o + low, &p, 8)) break;
	for (; low < high; low++)
		if (o[low] != (unsigned char)(p >> 8 * (low & 7))) return low;
	return high;
}

struct pause { int who; size_t after, batch; uint64_t poison; const char *phase; };
/* between two calls of a batch: nothing of the later ones may have been touched */
static void look_at_later_outputs(void *context)
{
	const struct pause *p = context;
	const unsigned char *o = output[p->who].p;
	for (size_t j = p->after; j < p->batch; j++) {
		size_t at = place_of[j][2], end = at + cases[j].out_bytes;
		bool same = kernel.in_place ? !memcmp(o + at, cases[j].out_start, end - at) : spoiled(o, at, end, p->poison) == end;
		if (same) continue;
		if (p->who != ANSWER) verdict("internal_error", "the reference wrote into the output of another call");
		record.correct = 0;
		measure_memory();
		verdict("wrong_answer", "wrote outside the output: call %zu of a batch had its output written before it began (%s, %s)", j + 1, p->phase, cases[j].note);
	}
}

static void check_results(int who, size_t batch, size_t low, size_t high, uint64_t p, const char *phase)
{
	const unsigned char *o = output[who].p;
	char why[256] = "";
	size_t at = low;
	const struct kernel_case *c = cases;
	bool right = true;
	for (size_t j = 0; j <= batch && right; j++) {
		size_t begin = j < batch && kernel.out_align ? place_of[j][2] : high, bad = spoiled(o, at, begin, p);
		if (kernel.out_align && bad != begin) {
			size_t before = place_of[j < batch ? j : batch - 1][2], after = before + cases[j < batch ? j : batch - 1].out_bytes;
			if (bad < before) snprintf(why, sizeof why, "wrote outside the output: %zu bytes before its start", before - bad);
			else snprintf(why, sizeof why, "wrote outside the output: at %zu bytes past its end", bad - after);
			right = false;
		}
		if (j == batch || !right) break;
		c = &cases[j];
		right = kernel.check(c, o + place_of[j][2], child[who].control->call[j].ret, why, sizeof why);
		if (kernel.out_align) at = place_of[j][2] + c->out_bytes;
	}
	if (right) return;
	if (who != ANSWER) verdict("internal_error", "the reference disagrees with the judge: %s (%s, %s)", why, phase, c->note);
	record.correct = 0;
	measure_memory();
	verdict("wrong_answer", "%s (%s, %s)", why, phase, c->note);
}

/* whole: all of the output's mapping is poisoned and checked, else only a margin.  stepwise: stop once, between two calls of the batch. */
struct timing checked_call(int who, size_t batch, bool whole, bool stepwise, const char *phase)
{
	unsigned char *o = output[who].p;
	uint64_t p = kernel_random();
	char where[256];
	size_t low = 0, high = output[who].size, end = place_of[batch - 1][2] + cases[batch - 1].out_bytes;
	if (!whole) {
		low = place_of[0][2] > MARGIN ? (place_of[0][2] - MARGIN) & ~7ul : 0;
		if (((end + MARGIN) & ~7ul) < high) high = (end + MARGIN) & ~7ul;
	}
	if (kernel.out_align) poison(o, low, high, p);
	for (size_t j = 0; j < batch; j++) {
		const struct kernel_case *c = &cases[j];
		if (kernel.in_place) memcpy(o + place_of[j][2], c->out_start, c->out_bytes);
		for (int i = 0; i < KERNEL_INPUTS; i++) touch(c->in[i], c->in_bytes[i]);
	}
	struct pause pause = { who, stepwise ? 1 + kernel_random_below(batch) : 0, batch, p, phase };
	snprintf(where, sizeof where, "%s, %s", phase, cases[0].note);
	struct timing t = call_child(who, batch, pause.after, look_at_later_outputs, &pause, where);
	if (who != EMPTY) check_results(who, batch, low, high, p, phase);
	return t;
}
