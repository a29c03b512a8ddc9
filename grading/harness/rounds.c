/* The benchmark's rounds.

   A round is one batch of each child on the same fresh inputs, in random order, every result checked; the
   reference may have fewer calls in its own.  How many rounds are counted is fixed beforehand (kernel.toml, or fewer after the pilot for slow answers): stopping when the interval looks tight would make it cover too little.  The
   children are started anew several times, since speeds differ between processes (layout), and the record keeps which round came from which.
   A round counts if wall and CPU clock agree for all three; one where the answer claims to be done before its CPU time is over is run again,
   three in a row, or more than a few, are reported.  At most four times the rounds wanted are run; then they are taken as they come. */
#include <math.h>
#include <string.h>

#include "judge.h"

/* How many calls are timed at once: of the answer and the empty call, and of the reference on the first of the same inputs. */
struct batch { size_t calls, of_reference; };
static long answer_calls;                            /* since its process was started */

static void one_round(struct timing *t, struct batch batch, bool stepwise)
{
	int order[CHILDREN] = { ANSWER, REFERENCE, EMPTY };
	make_bench(0, batch.calls);
	answer_calls += batch.calls;
	for (int i = CHILDREN - 1; i > 0; i--) {
		int j = kernel_random_below(i + 1), x = order[i];
		order[i] = order[j];
		order[j] = x;
	}
	for (int i = 0; i < CHILDREN; i++) t[order[i]] = checked_call(order[i], order[i] == REFERENCE ? batch.of_reference : batch.calls, true, stepwise && order[i] == ANSWER, "benchmark");
}

static const struct batch SINGLE = { 1, 1 };

/* A batch that is not counted: of the answer alone, since the reference may take long. */
static void uncounted_batch(size_t calls)
{
	make_bench(0, calls);
	answer_calls += calls;
	checked_call(ANSWER, calls, true, true, "benchmark");
}

enum { SHORT_CALL_NS = 100000, SHORT_BATCH_NS = 1000000, REFERENCE_BATCH_NS = 300000000, SLOW_ROUNDS = 5 };
static const double SLOW_CALL_NS = 2e9;
static bool is_slow;
static size_t at_most(double wanted, size_t most) { return wanted < most ? (size_t)wanted : most; }
/* From one uncounted round: short calls are batched, apart from the reference, which may take long on the same inputs; slow ones get fewer rounds. */
static struct batch pilot(void)
{
	struct timing t[CHILDREN];
	struct batch batch = SINGLE;
	if (opt.batch > 0) batch.calls = batch.of_reference = opt.batch;
	one_round(t, batch, batch.calls > 1);
	measure_memory();
	double call = (t[ANSWER].cpu_ns - t[EMPTY].cpu_ns) / batch.calls;
	is_slow = call > SLOW_CALL_NS;
	if (is_slow && opt.rounds > SLOW_ROUNDS) opt.rounds = SLOW_ROUNDS;
	if (opt.batch == 0 && call < SHORT_CALL_NS) {
		batch.calls = at_most(ceil(SHORT_BATCH_NS / fmax(call, 500)), batch_that_fits());
		batch.of_reference = at_most(1 + floor(REFERENCE_BATCH_NS / 2 / fmax(t[REFERENCE].cpu_ns, 1)), batch.calls);
	}
	return batch;
}

static double answer_raw[ROUNDS_MAX], reference_raw[ROUNDS_MAX], empty_raw[ROUNDS_MAX], units_of[ROUNDS_MAX], gap[4 * ROUNDS_MAX];
static int tried, early_in_a_row;

static bool is_dirty(const struct timing *t)
{
	gap[tried - 1] = t[EMPTY].wall_ns - t[EMPTY].cpu_ns;            /* time off the core; an empty call shows how much of it is hand-over */
	double usual = median(gap, tried);
	for (int i = 0; i < CHILDREN; i++)
		if (t[i].wall_ns - t[i].cpu_ns > 1.5 * usual + 8000 + 0.02 * t[i].cpu_ns) return true;
	return false;
}
/* Whether the round counts; it may be run again where it does not. */
static bool count(const struct timing *t, int process, struct batch batch)
{
	tried++;
	bool odd = t[ANSWER].wall_ns < 0.9 * t[ANSWER].cpu_ns - 20000;       /* CPU time cannot exceed wall time on one thread */
	early_in_a_row = odd ? early_in_a_row + 1 : 0;
	record.early += odd;
	if (early_in_a_row == 3) verdict("runtime_error", "signalled the end of a call before it had finished, three rounds in a row");
	/* none was seen in a thousand rounds of honest answers: more would let an answer choose which of its rounds are counted */
	if (record.early > 2 + opt.rounds / 5) verdict("runtime_error", "signalled the end of a call before it had finished, in %d of %d rounds", record.early, tried);
	bool dirty = is_dirty(t) || odd;
	record.dirty += dirty;
	if (dirty && tried - record.rounds < 3 * opt.rounds) return false;
	int r = record.rounds++;
	answer_raw[r] = t[ANSWER].cpu_ns;
	reference_raw[r] = t[REFERENCE].cpu_ns;
	empty_raw[r] = t[EMPTY].cpu_ns;
	for (size_t j = 0; j < batch.calls; j++) units_of[r] += cases[j].units / batch.calls;
	record.process[r] = process;
	return true;
}
static void count_rounds(int process, int until, struct batch batch, double until_cpu_ns)
{
	struct timing t[CHILDREN];
	while (record.rounds < until && run_cpu_ns() < until_cpu_ns) {
		/* a stop inside a batch costs a little: it is made in rounds that are not counted as well as in a few that are run only for it */
		if (batch.calls > 1 && kernel_random_below(4) == 0) {
			uncounted_batch(batch.calls);
			continue;
		}
		one_round(t, batch, false);
		count(t, process, batch);
	}
}
static double restarting;                            /* wall time, in ns */
static void restart(char *const *programs)
{
	double stopped = wall_ns();
	stop_children();
	start_children(programs);
	answer_calls = 0;
	restarting += wall_ns() - stopped;
}
/* The first round of fresh children, of one call each. */
static void first_round(struct timing *t)
{
	one_round(t, SINGLE, false);
	note_first_round(t);
}
/* Each process has its share of the budget, and so have the first calls after them: an answer that is slow in one process must not keep others from
   being started. */
static void run_sets(char *const *programs, struct batch batch)
{
	double spent = run_cpu_ns(), share = (opt.total_s * 1e9 - spent) / (opt.processes + 1);
	for (int p = 0; p < opt.processes && !(p && budget_over()); p++) {
		if (p) {
			struct timing t[CHILDREN];
			restart(programs);
			first_round(t);
			if (batch.calls > 1) uncounted_batch(batch.calls);
		}
		count_rounds(p, opt.rounds * (p + 1) / opt.processes, batch, spent + (p + 1) * share);
		if (p) end_of_fresh_process(answer_calls - 1);
		measure_memory();
	}
}
/* Slow calls: a start costs nothing beside them, so every round is the first of its processes. */
static void run_first_calls_only(char *const *programs)
{
	for (int p = 0; record.rounds < opt.rounds && !budget_over(); p = record.rounds) {
		struct timing t[CHILDREN];
		restart(programs);
		first_round(t);
		count(t, p, SINGLE);
		end_of_fresh_process(0);
		measure_memory();
	}
}
static double quantile(const double *v, int n, double q)
{
	double below = 0;
	int rank = (int)(q * (n - 1) + 0.5);
	for (int i = 0; i < n; i++) {                    /* the value that has `rank` others below it */
		int smaller = 0;
		for (int j = 0; j < n; j++) smaller += v[j] < v[i] || (v[j] == v[i] && j < i);
		if (smaller == rank) below = v[i];
	}
	return below;
}
void benchmark(char *const *programs)
{
	double began = wall_ns();
	struct batch batch = pilot();
	if (is_slow) run_first_calls_only(programs);
	else run_sets(programs, batch);
	if (record.rounds < 3) verdict("time_limit", "the whole run's budget of %ld s of CPU was over before 3 rounds were counted (benchmark)", opt.total_s);
	record.empty_ns = median(empty_raw, record.rounds);
	record.empty_spread_ns = (quantile(empty_raw, record.rounds, 0.9) - quantile(empty_raw, record.rounds, 0.1)) / batch.calls;
	record.units = median(units_of, record.rounds);
	for (int r = 0; r < record.rounds; r++) {
		record.answer_ns[r] = fmax(answer_raw[r] - record.empty_ns, 20) / batch.calls;
		record.reference_ns[r] = fmax(reference_raw[r] - record.empty_ns, 20) / batch.of_reference;
	}
	more_first_calls(programs, median(record.answer_ns, record.rounds));
	add_hidden_pages();
	record.start_s += restarting / 1e9;
	record.benchmark_s = (wall_ns() - began - restarting) / 1e9;
}
