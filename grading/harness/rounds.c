/* The two phases: small tests, then the benchmark's rounds.

   A round is one batch of each child on the same fresh inputs, in random order, every result checked.  How many rounds are counted is fixed
   beforehand (kernel.toml, or fewer after the pilot for slow answers): stopping when the interval looks tight would make it cover too little.  The
   children are started anew several times, since speeds differ between processes (layout), and the record keeps which round came from which.
   A round counts if wall and CPU clock agree for all three; one where the answer claims to be done before its CPU time is over is run again,
   three in a row, or more than a few, are reported.  At most four times the rounds wanted are run; then they are taken as they come. */
#include <math.h>
#include <string.h>

#include "judge.h"

static const char *const placement_name[PLACEMENTS] = { "small test, unaligned data", "small test, data right behind an unmapped page", "small test, data right before an unmapped page" };

static bool has_buffers(void) { return kernel.in_align[0] || kernel.out_align; }

void small_tests(void)
{
	double began = wall_ns();
	for (size_t t = 0; t < kernel.tests; t++)
		for (int p = 0; p < PLACEMENTS; p++) {
			make_test(t, p);
			record.guarded = has_buffers() && p != UNALIGNED;
			checked_call(ANSWER, 1, false, false, has_buffers() ? placement_name[p] : "small test");
			record.tests++;
		}
	record.guarded = false;
	for (unsigned v = 1; v <= kernel.extra_checks; v++) {
		make_bench(v, 1);
		checked_call(ANSWER, 1, true, false, "check at benchmark size");
		record.tests++;
	}
	measure_memory();
	record.tests_s += (wall_ns() - began) / 1e9;
}

static void one_round(struct timing *t, size_t batch, bool stepwise)
{
	int order[CHILDREN] = { ANSWER, REFERENCE, EMPTY };
	make_bench(0, batch);
	for (int i = CHILDREN - 1; i > 0; i--) {
		int j = kernel_random_below(i + 1), x = order[i];
		order[i] = order[j];
		order[j] = x;
	}
	for (int i = 0; i < CHILDREN; i++) t[order[i]] = checked_call(order[i], batch, true, stepwise && order[i] == ANSWER, "benchmark");
}

enum { SHORT_CALL_NS = 100000, REFERENCE_BATCH_NS = 300000000, PILOT_ROUNDS_MIN = 5 };
/* From one uncounted round: short calls are batched, slow ones get fewer rounds and one set of processes. */
static size_t pilot(void)
{
	struct timing t[CHILDREN];
	size_t batch = opt.batch > 0 ? (size_t)opt.batch : 1;
	one_round(t, batch, batch > 1);
	measure_memory();
	double call = (t[ANSWER].cpu_ns - t[EMPTY].cpu_ns) / batch;
	if (opt.batch == 0 && call < SHORT_CALL_NS) {
		size_t most = batch_that_fits(), want = ceil(SHORT_CALL_NS / fmax(call, 500));
		size_t patience = 1 + REFERENCE_BATCH_NS / 2 / fmax(t[REFERENCE].cpu_ns, 1);      /* the reference runs the same batch: slow ones are not repeated */
		if (patience < most) most = patience;
		batch = want < most ? want : most;
	}
	if (call > 2e9 && opt.rounds > PILOT_ROUNDS_MIN) opt.rounds = PILOT_ROUNDS_MIN;
	if (call > 2e9) opt.processes = 1;
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
static void count_rounds(int process, int until, size_t batch)
{
	struct timing t[CHILDREN];
	while (record.rounds < until) {
		if (budget_over()) return;
		/* a stop inside a batch costs a little: it is made in rounds that are not counted as well as in a few that are run only for it */
		bool stop = batch > 1 && kernel_random_below(4) == 0;
		one_round(t, batch, stop);
		if (stop) continue;
		tried++;
		bool odd = t[ANSWER].wall_ns < 0.9 * t[ANSWER].cpu_ns - 20000;       /* CPU time cannot exceed wall time on one thread */
		early_in_a_row = odd ? early_in_a_row + 1 : 0;
		record.early += odd;
		if (early_in_a_row == 3) verdict("runtime_error", "signalled the end of a call before it had finished, three rounds in a row");
		/* none was seen in a thousand rounds of honest answers: more would let an answer choose which of its rounds are counted */
		if (record.early > 2 + opt.rounds / 5) verdict("runtime_error", "signalled the end of a call before it had finished, in %d of %d rounds", record.early, tried);
		bool dirty = is_dirty(t) || odd;
		record.dirty += dirty;
		if (dirty && tried - record.rounds < 3 * opt.rounds) continue;
		int r = record.rounds++;
		answer_raw[r] = t[ANSWER].cpu_ns;
		reference_raw[r] = t[REFERENCE].cpu_ns;
		empty_raw[r] = t[EMPTY].cpu_ns;
		units_of[r] = cases[0].units;
		record.process[r] = process;
	}
}
void benchmark(char *const *programs)
{
	double began = wall_ns(), restarting = 0;
	size_t batch = pilot();
	for (int p = 0; p < opt.processes && !(p && budget_over()); p++) {
		if (p) {
			double stopped = wall_ns();
			stop_children();
			start_children(programs);
			restarting += wall_ns() - stopped;
			struct timing warm_up[CHILDREN];
			one_round(warm_up, batch, batch > 1);
		}
		count_rounds(p, opt.rounds * (p + 1) / opt.processes, batch);
		measure_memory();
	}
	if (record.rounds < 3) verdict("time_limit", "the whole run's budget of %ld s of CPU was over before 3 rounds were counted (benchmark)", opt.total_s);
	record.empty_ns = median(empty_raw, record.rounds);
	record.units = median(units_of, record.rounds);
	for (int r = 0; r < record.rounds; r++) {
		record.answer_ns[r] = fmax(answer_raw[r] - record.empty_ns, 20) / batch;
		record.reference_ns[r] = fmax(reference_raw[r] - record.empty_ns, 20) / batch;
	}
	record.start_s += restarting / 1e9;
	record.benchmark_s = (wall_ns() - began - restarting) / 1e9;
}
