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

enum { ROUNDS_MAX = 201, FIRST_MAX = 11, CHILDREN = 3, ANSWER = 0, REFERENCE = 1, EMPTY = 2 };

/* ---------- options.c: key=value arguments ---------- */
struct options {
	long size;             /* benchmark size for shape_bench() */
	long rounds;           /* counted rounds wanted */
	long processes;        /* the children are started anew this many times; the rounds are split among them */
	long batch;            /* calls in one timed batch; 0: the pilot decides */
	long mem_kb;           /* limit of extra memory, inclusive */
	long ro_kb;            /* what the answer's program maps read-only beyond the empty one, charged as its memory */
	long resolution_kb;    /* of the peak memory, as describe measured it on this machine */
	long const_bytes;      /* the answer's own code and initialised data; repeated in the record */
	long call_s;           /* CPU seconds of one call */
	long total_s;          /* CPU seconds of the whole run */
	long emulate;          /* correctness only, children run by this path's qemu */
	long list;             /* tell which calls a grading makes, and make none */
	long seed;             /* of the listing; a grading's is never known before */
	long tests_only;       /* small tests and checks, no benchmark: for `make mutants` */
	long unwalled;         /* no wall of our own is needed: an outer sandbox keeps files away, or the operator has accepted that nobody does */
	long compile_us, inspect_us, link_us;      /* what the driver measured before; repeated in the record */
};
extern struct options opt;
bool read_options(int argc, char **argv, char *why, size_t why_size);

/* ---------- clock.c ---------- */
double wall_ns(void);
double own_cpu_ns(void);
double median(const double *v, int n);
void random_seed(void);
void random_seed_known(uint64_t seed);

/* ---------- children.c ---------- */
struct usage { long faults, pages; };  /* minor faults so far, -1: not known; resident pages */
struct child {
	const char *name;
	pid_t pid;
	int go, done, stat;
	size_t given, left;            /* calls of the batch that were started, and those of them that had not begun when last looked at */
	double begun_ns;               /* CPU time when that changed */
	clockid_t clock;               /* the CPU clock of that process: kept by the kernel, exact when it sleeps */
	struct control *control;
	uint32_t seq;
	double called_ns, spent_ns;    /* where there is no precise CPU clock: begin of the call (0: none), wall time of calls so far */
	double mapped_ns, start_ns;    /* CPU time until it had mapped the buffers, and of libc's start-up (resolvers of the answer included) */
	long base_kb, shared_kb;
	struct usage mapped, ready;    /* at those two moments */
};
extern struct child child[CHILDREN];
struct timing { double cpu_ns, wall_ns; };
void start_children(char *const *programs);
void stop_children(void);
void restart_answer(char *const *programs);       /* a fresh process for the answer alone */
double cpu_ns(const struct child *h);
long status_kb(const struct child *h, const char *key);
long faults_of(int who);
struct timing call_child(int who, size_t batch, size_t pause_after, void (*at_pause)(void *), void *context, const char *phase);
void measure_memory(void);
double run_cpu_ns(void);               /* the judge's and all children's CPU time so far */
bool budget_over(void);

/* ---------- memory.c: what the peak counters do not see ---------- */
struct usage usage_of(int who);
/* Of a fresh process of the answer, after its first call and now, `calls` later. */
void count_pages(const struct usage *first, const struct usage *last, long calls);
void add_hidden_pages(void);
double fault_ns(void);                 /* CPU time of one minor fault of a private page */

/* ---------- buffers.c ---------- */
enum placement { UNALIGNED, FLUSH_START, FLUSH_END, PLACEMENTS, BENCHMARK = PLACEMENTS };
enum { MARGIN = 4096 };                        /* bytes around an output that are poisoned and checked in small tests; all of it in the benchmark */
struct buffers { int fd; unsigned char *p; size_t size; };
extern struct buffers input[KERNEL_INPUTS], output[CHILDREN];
extern struct kernel_case cases[BATCH_MAX];
extern size_t place_of[BATCH_MAX][3];          /* offsets of the inputs and the output of each call */
extern enum placement placement_of[BATCH_MAX];
enum { TEST_CALLS = 38 };                      /* small tests in one batch: control is a page with them, as with one */
void plan_tests(void);
size_t count_tests(void);                      /* what plan_tests() has drawn */
void size_buffers(void);
void make_buffers(void);
size_t place_tests(size_t index, size_t *calls);
bool exceeds_benchmark(void);                  /* the batch that was placed last */
bool begins_large_tests(size_t index);
void fill_tests(size_t calls);
void place_bench(unsigned variant, size_t batch);
void make_bench(unsigned variant, size_t batch);
int read_only(int fd);
size_t batch_that_fits(void);

/* ---------- stream.c: bytes [low, high) of the stream of a call, which only the judge can make ---------- */
void stream_key(void);
uint64_t stream_word(uint64_t nonce);  /* a word that tells nothing of the rest */
void stream_fill(unsigned char *o, size_t low, size_t high, uint64_t nonce);
size_t stream_spoiled(const unsigned char *o, size_t low, size_t high, uint64_t nonce);        /* the first byte that is another, or high */

/* ---------- calls.c ---------- */
struct timing checked_call(int who, size_t batch, bool whole, bool stepwise, const char *phase);
const char *call_name(size_t call, const char *phase);         /* for messages: phase, placement, arguments */

/* ---------- tests.c ---------- */
void small_tests(char *const *programs);
noreturn void list_tests(void);

/* ---------- first_calls.c ---------- */
void note_first_round(const struct timing *t);         /* of three fresh children, one call each */
void end_of_fresh_process(long calls);                 /* that the answer has made after the first one */
void more_first_calls(char *const *programs, double later_ns);

/* ---------- rounds.c ---------- */
void benchmark(char *const *programs);

/* ---------- report.c: every way out of the judge ---------- */
struct record {
	int rounds, dirty, early;
	int correct;                       /* -1: not known */
	double extra_mb, peak_mb;          /* -1: not measured */
	double counted_mb;                 /* likewise, by faults and page tables; 0: they have nothing to add */
	double empty_ns, units;
	double answer_ns[ROUNDS_MAX], reference_ns[ROUNDS_MAX];
	int process[ROUNDS_MAX];
	double empty_spread_ns;            /* of the empty call's time in the counted rounds, by call: what a shorter time cannot be told from */
	int firsts, first_rounds;          /* of the two kinds of arrays that follow */
	double first_answer_ns[FIRST_MAX], first_start_ns[FIRST_MAX], first_faults[FIRST_MAX];
	double first_reference_ns[FIRST_MAX];
	double fault_ns;
	double start_s, tests_s, benchmark_s;
	bool landlock, seccomp, cpu_clock, memory_reset, hidden_clocks;
	bool unwalled;                     /* nothing can be graded here: neither Landlock nor a filter would keep files from the answer */
	long tests;
};
extern struct record record;
noreturn void verdict(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
noreturn void fault(const char *what);         /* ours: internal_error with errno's text */
#endif
