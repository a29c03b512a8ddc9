/* The trusted side: makes inputs, works out what is expected, times, measures memory, checks.  Never runs answer code.
   usage: judge_KERNEL ANSWER REFERENCE EMPTY [key=value ...]     prints one JSON object (report.c), exit status 0
          judge_KERNEL list=1 size=SIZE [seed=N]                  prints which calls a grading makes (tests.c), and makes none

   Theory of operation.  Three children (answer, reference, empty call) live each in their own process behind the stub's filter.  Inputs are
   shared memfds mapped read-only there; the output is a memfd of just the size needed, poisoned before every call and checked to the last byte
   after it.  Nothing is parsed from what a child prints, and no secret lies within its reach.  children.c says how time and memory are measured,
   buffers.c where data lie, rounds.c what a round is.  Every way out of this program is verdict(). */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "judge.h"

/* Judge and children share one core, so that a hand-over costs the same every time: the last one we may use, away from interrupts on the first. */
static void pin(void)
{
	cpu_set_t may, one;
	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof may, &may)) return;
	for (int i = CPU_SETSIZE - 1; i >= 0; i--)
		if (CPU_ISSET(i, &may)) {
			CPU_SET(i, &one);
			break;
		}
	sched_setaffinity(0, sizeof one, &one);
}
/* no filter, no time, no memory figure; the emulator itself must be confined from outside */
static noreturn void emulated_end(void)
{
	make_bench(0, 1);
	checked_call(ANSWER, 1, true, false, "benchmark size, emulated");
	record.correct = 1;
	verdict("passed", "right in all %ld tests and at benchmark size; emulated: correctness only, no time and no memory", record.tests);
}
/* for sources of ours that were made wrong on purpose: no grading asks for it */
static noreturn void tests_only_end(void)
{
	record.correct = 1;
	if (record.extra_mb * 1024 > opt.mem_kb)
		verdict("memory_limit", "right, but used %.2f MiB more than an empty call; the limit is %.2f MiB", record.extra_mb, opt.mem_kb / 1024.);
	verdict("passed", "right in all %ld tests; nothing was timed", record.tests);
}
int main(int argc, char **argv)
{
	char why[200];
	if (argc > 1 && !strncmp(argv[1], "list=", 5)) {
		if (!read_options(argc - 1, argv + 1, why, sizeof why) || !opt.list) {
			fprintf(stderr, "judge: %s\n", opt.list ? why : "usage: judge_KERNEL list=1 size=SIZE [seed=N]");
			return 2;
		}
		list_tests();
	}
	if (argc < 4 || !read_options(argc - 4, argv + 4, why, sizeof why)) {
		fprintf(stderr, "judge: %s\n", argc < 4 ? "usage: judge_KERNEL ANSWER REFERENCE EMPTY [key=value ...]" : why);
		return 2;
	}
	if (opt.list || opt.seed) {
		fprintf(stderr, "judge: list and seed are for a listing, which begins with list=1 and names no programs\n");
		return 2;
	}
	double began = wall_ns();
	signal(SIGPIPE, SIG_IGN);
	pin();
	random_seed();
	plan_tests();
	stream_key();
	make_buffers();
	start_children(argv + 1);
	record.start_s = (wall_ns() - began) / 1e9;
	small_tests(argv + 1);
	if (opt.emulate) emulated_end();
	if (opt.tests_only) tests_only_end();
	benchmark(argv + 1);
	record.correct = 1;
	if (record.extra_mb * 1024 > opt.mem_kb)
		verdict("memory_limit", "right, but used %.2f MiB more than an empty call; the limit is %.2f MiB", record.extra_mb, opt.mem_kb / 1024.);
	verdict("passed", "right in all %ld tests and in every timed round", record.tests);
}
