/* One checked call: poison or refresh the output, call, verify every result and every byte around it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "judge.h"

static void touch(const unsigned char *p, size_t bytes)       /* the same cache state before every call */
{
	for (size_t i = 0; i < bytes; i += 64) (void)*(const volatile unsigned char *)(p + i);
}
/* Around the outputs, and in all those of a batch that are still to come, lies the call's stream.  The inside of a single output may be anything: it is
   the answer's to write, and what it leaves is wrong.  An output that starts as the input is written anew anyway. */
static void fill_words(unsigned char *o, size_t low, size_t high, uint64_t word)
{
	for (; low + 8 <= high; low += 8) memcpy(o + low, &word, 8);
	memcpy(o + low, &word, high - low);
}
/* In the output of shared inputs lie the right results of a smaller size, if they begin alike: a line of each page is poisoned, and all of the end,
   where sizes differ. */
static void poison_shared(unsigned char *o, size_t at, size_t end, uint64_t word)
{
	enum { END = 1 << 16, LINE = 64, STEP = 4096 };
	size_t last = end - at > END ? end - END : at;
	for (size_t line = at; line < last; line += STEP) fill_words(o, line, line + LINE < last ? line + LINE : last, word);
	fill_words(o, last, end, word);
}
static void poison(unsigned char *o, size_t batch, size_t low, size_t high, uint64_t nonce)
{
	if (batch > 1) {
		stream_fill(o, low, high, nonce);
		return;
	}
	size_t at = place_of[0][2], end = at + cases[0].out_bytes;
	stream_fill(o, low, at, nonce);
	if (!kernel.in_place) (cases[0].shared ? poison_shared : fill_words)(o, at, end, stream_word(nonce));
	stream_fill(o, end, high, nonce);
}

struct pause { int who; size_t after, batch; uint64_t nonce; const char *phase; };
/* between two calls of a batch: nothing of the later ones may have been touched */
static void look_at_later_outputs(void *context)
{
	const struct pause *p = context;
	const unsigned char *o = output[p->who].p;
	for (size_t j = p->after; j < p->batch; j++) {
		size_t at = place_of[j][2], end = at + cases[j].out_bytes;
		bool same = kernel.in_place ? !memcmp(o + at, cases[j].out_start, end - at) : stream_spoiled(o, at, end, p->nonce) == end;
		if (same) continue;
		if (p->who != ANSWER) verdict("internal_error", "the reference wrote into the output of another call");
		record.correct = 0;
		measure_memory();
		verdict("wrong_answer", "wrote outside the output: call %zu of a batch had its output written before it began (%s)", j + 1, call_name(j, p->phase));
	}
}

/* Parts of the output's mapping that are poisoned and checked, with the calls whose outputs lie in each, in the order of their places: everything,
   or a margin around each output where margins that meet become one part. */
struct part { size_t low, high, first, end; };
struct parts { size_t count, order[BATCH_MAX]; struct part part[BATCH_MAX]; };

static void find_parts(struct parts *p, size_t batch, bool whole, size_t size)
{
	for (size_t j = 0, k; j < batch; j++) {
		for (k = j; k > 0 && place_of[p->order[k - 1]][2] > place_of[j][2]; k--) p->order[k] = p->order[k - 1];
		p->order[k] = j;
	}
	p->count = 0;
	for (size_t k = 0; k < batch; k++) {
		size_t at = place_of[p->order[k]][2], end = (at + cases[p->order[k]].out_bytes + MARGIN) & ~7ul;
		struct part here = { at > MARGIN ? (at - MARGIN) & ~7ul : 0, end < size ? end : size, k, k + 1 };
		if (whole) here.low = 0, here.high = size;
		struct part *last = p->count ? &p->part[p->count - 1] : NULL;
		if (last && here.low <= last->high) last->high = here.high, last->end = k + 1;
		else p->part[p->count++] = here;
	}
}
/* Is everything between the outputs of one part as it was filled?  If not, the call whose output is nearest. */
static bool surroundings_are_right(const unsigned char *o, const struct parts *parts, const struct part *here, uint64_t nonce, char *why, size_t why_size, size_t *call)
{
	size_t at = here->low;
	for (size_t k = here->first; k <= here->end; k++) {
		size_t begin = k < here->end ? place_of[parts->order[k]][2] : here->high, bad = stream_spoiled(o, at, begin, nonce);
		if (bad != begin) {
			bool behind = k > here->first && (k == here->end || bad - at <= begin - bad);
			*call = parts->order[behind ? k - 1 : k];
			if (behind) snprintf(why, why_size, "wrote outside the output: at %zu bytes past its end", bad - at);
			else snprintf(why, why_size, "wrote outside the output: %zu bytes before its start", begin - bad);
			return false;
		}
		if (k < here->end) at = begin + cases[parts->order[k]].out_bytes;
	}
	return true;
}
const char *call_name(size_t call, const char *phase)
{
	static const char *const placement_name[PLACEMENTS] = { "unaligned data", "data right behind an unmapped page", "data right before an unmapped page" };
	static char name[256];
	bool placed = placement_of[call] != BENCHMARK && (kernel.in_align[0] || kernel.out_align);
	snprintf(name, sizeof name, "%s%s%s, %s", phase, placed ? ", " : "", placed ? placement_name[placement_of[call]] : "", cases[call].note);
	return name;
}
static void check_results(int who, size_t batch, const struct parts *parts, uint64_t nonce, const char *phase)
{
	const unsigned char *o = output[who].p;
	char why[256] = "";
	size_t call = 0;
	bool right = true;
	for (size_t i = 0; i < parts->count && right && kernel.out_align; i++) right = surroundings_are_right(o, parts, &parts->part[i], nonce, why, sizeof why, &call);
	for (size_t j = 0; j < batch && right; j++) right = kernel.check(&cases[call = j], o + place_of[j][2], child[who].control->call[j].ret, why, sizeof why);
	if (right) return;
	if (who != ANSWER) verdict("internal_error", "the reference disagrees with the judge: %s (%s)", why, call_name(call, phase));
	record.correct = 0;
	measure_memory();
	verdict("wrong_answer", "%s (%s)", why, call_name(call, phase));
}

/* whole: all of the output's mapping is poisoned and checked, else only a margin.  stepwise: stop once, between two calls of the batch. */
struct timing checked_call(int who, size_t batch, bool whole, bool stepwise, const char *phase)
{
	static struct parts parts;
	static uint64_t calls;
	unsigned char *o = output[who].p;
	uint64_t nonce = calls++;
	find_parts(&parts, kernel.out_align ? batch : 0, whole, output[who].size);
	for (size_t i = 0; i < parts.count; i++) poison(o, batch, parts.part[i].low, parts.part[i].high, nonce);
	for (size_t j = 0; j < batch; j++) {
		const struct kernel_case *c = &cases[j];
		if (kernel.in_place) memcpy(o + place_of[j][2], c->out_start, c->out_bytes);
		for (int i = 0; i < KERNEL_INPUTS && whole; i++) touch(c->in[i], c->in_bytes[i]);
	}
	struct pause pause = { who, stepwise ? 1 + kernel_random_below(batch) : 0, batch, nonce, phase };
	struct timing t = call_child(who, batch, pause.after, look_at_later_outputs, &pause, phase);
	if (who != EMPTY) check_results(who, batch, &parts, nonce, phase);
	return t;
}
