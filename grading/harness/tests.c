/* The small tests and the checks at benchmark size, each call once, every result checked; and the listing of what they are.

   judge_KERNEL list=1 size=SIZE prints one JSON object a line for every call that a grading makes before its benchmark, and for one of the benchmark
   itself: "phase" ("small test", "check", "benchmark"), "placement" (null in the last two), "arguments", "offsets" (of the inputs and the output
   behind a cache line's begin; null where there is none), "shared" (is on the inputs of an earlier call) and "class" of the contents.  No process
   is started and nothing is filled.  The calls are drawn as a grading draws them; seed=N makes a listing that can be had again, which no grading is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "json.h"

/* Memory is limited and ranked at sizes up to the benchmark's: an answer may keep a fixed buffer for those, and allocate another one for more.  What
   it took for more ends with its process. */
static void forget_memory(char *const *programs)
{
	double began = wall_ns();
	restart_answer(programs);
	record.start_s += (wall_ns() - began) / 1e9;
}
static void checks_at_benchmark_size(void)
{
	for (unsigned v = 1; v <= kernel.extra_checks; v++) {
		make_bench(v, 1);
		checked_call(ANSWER, 1, true, false, "check at benchmark size");
		record.tests++;
	}
}
/* The checks at the benchmark's size come before the tests of large sizes.  An allocator that gave up a block keeps it for smaller ones: after a
   row of ascending sizes glibc holds half as much again as any call has asked for, which is no doing of the answer. */
void small_tests(char *const *programs)
{
	double began = wall_ns(), started_s = record.start_s;
	bool beyond = false, checked = false, fresh = false;
	for (size_t t = 0, calls; t < count_tests();) {
		if (!checked && begins_large_tests(t)) {
			checks_at_benchmark_size();
			checked = true;
		}
		t += place_tests(t, &calls);
		fill_tests(calls);
		if (calls && beyond != exceeds_benchmark()) {
			if (beyond) forget_memory(programs);
			else measure_memory();
			fresh |= beyond;
			beyond = !beyond;
		}
		if (calls) checked_call(ANSWER, calls, false, false, "small test");
		record.tests += calls;
	}
	if (!checked) checks_at_benchmark_size();
	if (!beyond) measure_memory();
	if (beyond || fresh) forget_memory(programs);         /* what comes next is of the benchmark's size, as the first call of its process */
	record.tests_s += (wall_ns() - began) / 1e9 - (record.start_s - started_s);
}

/* ---------- the listing ---------- */
static void print_text(const char *text) { json_string(stdout, text, strlen(text)); }
static void print_argument(const struct kernel_arg *argument, union kernel_word word)
{
	switch (argument->type) {
	case KERNEL_U64: printf("\"%s\": %llu", argument->name, (unsigned long long)word.u64); break;
	case KERNEL_U32: printf("\"%s\": %u", argument->name, word.u32); break;
	case KERNEL_F64: printf("\"%s\": %.17g", argument->name, word.f64); break;
	}
}
static void print_call(size_t call, const char *phase)
{
	static const char *const placement[PLACEMENTS] = { "\"unaligned\"", "\"flush start\"", "\"flush end\"" };
	const struct kernel_case *c = &cases[call];
	printf("{\"phase\": \"%s\", \"placement\": %s, \"arguments\": {", phase, placement_of[call] == BENCHMARK ? "null" : placement[placement_of[call]]);
	for (int i = 0; i < KERNEL_ARGS && kernel.args[i].name; i++) {
		if (i) printf(", ");
		print_argument(&kernel.args[i], c->arg[i]);
	}
	printf("}, \"offsets\": [");
	for (int i = 0; i < 3; i++) {
		if (i < KERNEL_INPUTS ? kernel.in_align[i] : kernel.out_align) printf("%s%zu", i ? ", " : "", place_of[call][i] % 64);
		else printf("%snull", i ? ", " : "");
	}
	printf("], \"shared\": %s, \"class\": ", c->shared ? "true" : "false");
	print_text(c->content ? c->content : "");
	printf("}\n");
}
noreturn void list_tests(void)
{
	if (opt.seed) random_seed_known(opt.seed);
	else random_seed();
	plan_tests();
	size_buffers();
	for (size_t t = 0, calls; t < count_tests();) {
		t += place_tests(t, &calls);
		for (size_t j = 0; j < calls; j++) print_call(j, "small test");
	}
	for (unsigned v = 0; v <= kernel.extra_checks; v++) {
		unsigned variant = v < kernel.extra_checks ? v + 1 : 0;
		place_bench(variant, 1);
		print_call(0, variant ? "check" : "benchmark");
	}
	exit(0);
}
