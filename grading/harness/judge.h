/* What the judge's files share.  The judge is the trusted side: it never runs answer code (judge.c holds the theory of operation). */
#ifndef JUDGE_H
#define JUDGE_H
#include <stdarg.h>
#include <stdbool.h>
#include <stdnoreturn.h>
#include <sys/types.h>
#include <time.h>

#include "kernel.h"
#include "proto.h"

enum { ROUNDS_MAX = 201, CHILDREN = 3, ANSWER = 0, REFERENCE = 1, EMPTY = 2 };

/* ---------- options.c: key=value arguments ---------- */
struct options {
	long size;             /* benchmark size for shape_bench() */
	long rounds;           /* counted rounds wanted */
	long processes;        /* the children are started anew this many times; the rounds are split among them */
	long batch;            /* calls in one timed batch; 0: the pilot decides */
	long mem_kb;           /* limit of extra memory, inclusive */
	long ro_kb;            /* the answer's own read-only sections, charged as its memory */
	long call_s;           /* CPU seconds of one call */
	long total_s;          /* CPU seconds of the whole run */
	long emulate;          /* correctness only, children run by this path's qemu */
	long compile_us, inspect_us, link_us;      /* what the driver measured before; repeated in the record */
};
extern struct options opt;
bool read_options(int argc, char **argv, char *why, size_t why_size);

/* ---------- clock.c ---------- */
double wall_ns(void);
double own_cpu_ns(void);
double median(const double *v, int n);
void random_seed(void);

/* ---------- children.c ---------- */
struct child {
	const char *name;
	pid_t pid;
	int go, done, stat;
	clockid_t clock;               /* the CPU clock of that process: kept by the kernel, exact when it sleeps */
	struct control *control;
	uint32_t seq;
	double called_ns, spent_ns;    /* where there is no precise CPU clock: begin of the call (0: none), wall time of calls so far */
	long base_kb, shared_kb;
};
extern struct child child[CHILDREN];
struct timing { double cpu_ns, wall_ns; };
void start_children(char *const *programs);
void stop_children(void);
struct timing call_child(int who, size_t batch, size_t pause_after, void (*at_pause)(void *), void *context, const char *phase);
void measure_memory(void);
double run_cpu_ns(void);               /* the judge's and all children's CPU time so far */
bool budget_over(void);

/* ---------- buffers.c ---------- */
enum placement { UNALIGNED, FLUSH_START, FLUSH_END, PLACEMENTS, BENCHMARK = PLACEMENTS };
struct buffers { int fd; unsigned char *p; size_t size; };
extern struct buffers input[KERNEL_INPUTS], output[CHILDREN];
extern struct kernel_case cases[BATCH_MAX];
extern size_t place_of[BATCH_MAX][3];          /* offsets of the inputs and the output of each call */
void make_buffers(void);
void make_test(size_t index, enum placement placement);
void make_bench(unsigned variant, size_t batch);
int read_only(int fd);
size_t batch_that_fits(void);

/* ---------- calls.c ---------- */
struct timing checked_call(int who, size_t batch, bool whole, bool stepwise, const char *phase);

/* ---------- rounds.c ---------- */
void small_tests(void);
void benchmark(char *const *programs);

/* ---------- report.c: every way out of the judge ---------- */
struct record {
	int rounds, dirty, early;
	int correct;                       /* -1: not known */
	double extra_mb, peak_mb;          /* -1: not measured */
	double empty_ns, units;
	double answer_ns[ROUNDS_MAX], reference_ns[ROUNDS_MAX];
	int process[ROUNDS_MAX];
	double start_s, tests_s, benchmark_s;
	bool landlock, seccomp, cpu_clock, memory_reset;
	bool guarded;                      /* the data of the running small test lie flush against an unmapped page */
	long tests;
};
extern struct record record;
noreturn void verdict(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
noreturn void fault(const char *what);         /* ours: internal_error with errno's text */
#endif
