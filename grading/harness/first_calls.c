/* First calls: the time of an answer that has nothing from earlier calls.

   What an answer keeps from one call makes later ones cheap, and the median of many calls in one process does not show what it has cost.  So wherever
   the children are started anew, the first call of each is timed by itself, on inputs that it has not seen and with nothing before it: no small
   test, no pilot, no warm-up.  An answer that uses state has none then, whichever call it builds it in.  The start of its process is timed too,
   since resolvers run there.  A first call also pays for what no answer can help: cold code and tables of pages (the reference and the empty call
   pay likewise), and pages that it touches for the first time (counted).  The record has all of these; what they say is decided from it
   (grading/statistics/first_calls.py).  Here it is only decided whether more of them are worth their time. */
#include <math.h>

#include "judge.h"

enum { FEWEST = 3, FEW = 5, FEW_OF_SLOW_ONES = FEWEST, SLOW_NS = 100000000, VERY_SLOW_NS = 2000000000 };
static struct { struct timing answer; double start_ns; long faults, kept; } first[FIRST_MAX];
static double reference_raw[FIRST_MAX], empty_raw[FIRST_MAX], faults_later[FIRST_MAX];
static int firsts, rounds, processes;
static struct usage after_first;

static void note_answer(const struct timing *t)
{
	const struct child *h = &child[ANSWER];
	after_first = usage_of(ANSWER);
	if (firsts == FIRST_MAX) return;
	first[firsts].answer = *t;
	first[firsts].start_ns = record.cpu_clock ? fmax(0, h->start_ns - child[EMPTY].start_ns) : 0;
	first[firsts].faults = after_first.faults - h->ready.faults;
	first[firsts].kept = after_first.pages - h->ready.pages;
	firsts++;
}
void note_first_round(const struct timing *t)
{
	note_answer(&t[ANSWER]);
	if (rounds == FIRST_MAX) return;
	reference_raw[rounds] = t[REFERENCE].cpu_ns;
	empty_raw[rounds] = t[EMPTY].cpu_ns;
	rounds++;
}
void end_of_fresh_process(long calls)
{
	struct usage last = usage_of(ANSWER);
	count_pages(&after_first, &last, calls);
	if (calls > 0 && processes < FIRST_MAX) faults_later[processes++] = (last.faults - after_first.faults) / (double)calls;
}

/* Faults of a first call that later ones do not have, and that pages explain which it has kept. */
static double faults_beyond_later_ones(int i, double later)
{
	double more = first[i].faults - later, most = 2.0 * first[i].kept;
	return fmax(0, fmin(more, most));
}
/* Into the record: the empty call's own first calls are subtracted. */
static void report(void)
{
	double empty = rounds ? median(empty_raw, rounds) : record.empty_ns, later = median(faults_later, processes);
	for (int i = 0; i < firsts; i++) {
		record.first_answer_ns[i] = fmax(first[i].answer.cpu_ns - empty, 20);
		record.first_start_ns[i] = first[i].start_ns;
		record.first_faults[i] = faults_beyond_later_ones(i, later);
	}
	for (int i = 0; i < rounds; i++) record.first_reference_ns[i] = fmax(reference_raw[i] - empty, 20);
	record.firsts = firsts;
	record.first_rounds = rounds;
}
static bool are_worth_more(double later_ns)
{
	double total[FIRST_MAX];
	for (int i = 0; i < firsts; i++) total[i] = record.first_answer_ns[i] + record.first_start_ns[i];
	double usual = median(total, firsts);
	if (firsts < (later_ns > SLOW_NS ? FEW_OF_SLOW_ONES : FEW)) return true;
	return firsts < FIRST_MAX && usual < VERY_SLOW_NS && usual > 1.05 * later_ns + 2000;
}
/* Whether the budget forbids another one.  The fewest that say something are made in any case: an answer that has used up the budget by slow calls, and
   built its state late in them, would be timed by its later calls otherwise.  Where these few take long themselves, nothing is left to be timed. */
static bool may_make_more(void)
{
	if (!budget_over()) return true;
	if (firsts >= FEWEST) return false;
	if (firsts > 0 && first[firsts - 1].answer.cpu_ns > VERY_SLOW_NS)
		verdict("time_limit", "the whole run's budget of %ld s of CPU was over before %d first calls of fresh processes were timed (benchmark)", opt.total_s, FEWEST);
	return true;
}
/* later_ns: the time of one of many calls */
void more_first_calls(char *const *programs, double later_ns)
{
	report();
	while (are_worth_more(later_ns) && may_make_more()) {
		restart_answer(programs);
		struct timing t = checked_call(ANSWER, 1, true, false, "benchmark, first call of a process");
		note_answer(&t);
		end_of_fresh_process(0);
		report();
	}
	measure_memory();
	record.fault_ns = fault_ns();
}
