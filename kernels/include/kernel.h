/* What a kernel's bench.c provides to the harness.

   bench.c is compiled twice.  With KERNEL_STUB defined it becomes part of the untrusted child and provides kernel_call(), which unpacks the
   arguments and calls the answer.  Without it, it becomes part of the judge, which never runs answer code, and provides the one `kernel`:
   which test cases there are, how their inputs are made, and how a result is checked.

   The life of a case in the judge:  plan() draws the arguments of all small tests, once -> shape_*() decides sizes, arguments and units -> the judge
   places the buffers (unaligned, flush against a guard page, or at a random 64-byte offset for the benchmark) -> fill() writes the inputs and
   works out what is expected, privately -> the children are called -> check() decides.  Inputs reach children through read-only mappings, so
   check() may rely on them.  sizes.h draws the sizes that every kernel is tested at. */
#ifndef KERNEL_H
#define KERNEL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One scalar argument or result, in the member of its C type. */
union kernel_word {
	uint64_t u64;
	uint32_t u32;
	double f64;
	float f32;
};

enum { KERNEL_INPUTS = 2, KERNEL_ARGS = 8, KERNEL_NOTE = 128 };

#ifdef KERNEL_STUB

/* Call the answer once.  Unused buffers are NULL-like (readable but of size 0); ret is ignored by kernels that return void. */
void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret);

#else

struct kernel_case {
	/* shape_*() decides; everything is zero before it */
	size_t in_bytes[KERNEL_INPUTS];      /* sizes of the inputs */
	size_t out_bytes;                    /* size of the output; every byte outside it must stay as it was */
	size_t want_bytes;                   /* size of the judge's private expectation; may be larger than out_bytes */
	union kernel_word arg[KERNEL_ARGS];  /* what kernel_call() gets */
	double units;                        /* work of the call in the kernel's unit, for throughput */
	unsigned kind;                       /* bench.c's own: which generator fill() is to use */
	const char *content;                 /* the class of the contents, for the listing of the tests: "all equal"; as long-lived as the program */
	char note[KERNEL_NOTE];              /* names the case to the answer's author: "n = 17, all equal" */
	/* shape_test() of a kernel with a plan() only */
	bool guarded;                        /* called twice more, flush against the unmapped page before its data and flush against the one behind */
	bool inputs_only;                    /* not called: fill() lays out inputs for the shared cases behind it, and expects nothing */
	bool shared;                         /* the inputs are the beginning of those of the last case with inputs_only, where they lie: see expect() */
	/* the judge provides before fill(); all but out_start are as aligned as the call itself */
	unsigned char *in[KERNEL_INPUTS];    /* where the inputs are written */
	unsigned char *out_start;            /* in-place kernels: what the output starts as (out_bytes) */
	unsigned char *want;                 /* 64-byte aligned, want_bytes: fill() writes, check() reads */
	/* fill() may keep scalars for check() here */
	union kernel_word want_value;
	double tolerance;
};

/* The arguments of kernel_call() in the listing of the tests, in the order of kernel_case.arg. */
enum kernel_type { KERNEL_U64, KERNEL_U32, KERNEL_F64 };
struct kernel_arg {
	const char *name;                    /* NULL behind the last one */
	enum kernel_type type;
};

struct kernel {
	const char *name;
	struct kernel_arg args[KERNEL_ARGS];
	size_t in_align[KERNEL_INPUTS];      /* natural alignment of the elements in bytes; 0: the kernel has no such input */
	size_t out_align;                    /* likewise; 0: no output, so no writable region is mapped */
	bool in_place;                       /* the output starts as out_start instead of poison */
	size_t tests;                        /* number of small tests of a kernel without plan(): each of them is guarded */
	/* Draw the small tests of this grading, once, before any other call; returns how many.  size as in shape_bench(). */
	size_t (*plan)(size_t size);
	unsigned extra_checks;               /* untimed checked calls at benchmark size: variants 1 .. extra_checks */
	void (*shape_test)(size_t index, struct kernel_case *c);
	/* size: kernel.toml's benchmark.size, or a smaller one in the grader's own tests; variant 0 is what is timed */
	void (*shape_bench)(size_t size, unsigned variant, struct kernel_case *c);
	void (*fill)(struct kernel_case *c);
	/* Instead of fill(), for a shared case: what is expected of its arguments.  want (of the size that the case with inputs_only asked for), want_value
	   and tolerance are as the case before left them, which had the smaller size arg[0] = done; 0: this is the first, and nothing is worked out. */
	void (*expect)(struct kernel_case *c, size_t done);
	/* Is the result right?  If not, why (at most why_size bytes) says where and expected against got, in one clause without a final stop, for the
	   answer's author: "element 12 is 7, expected 9".  Comparisons are written so that NaN fails.  The judge itself checks the bytes around the output. */
	bool (*check)(const struct kernel_case *c, const unsigned char *out, union kernel_word ret, char *why, size_t why_size);
};
extern const struct kernel kernel;

/* The judge's generator (xoshiro256**, seeded by the kernel's getrandom): inputs are unknown before the call. */
uint64_t kernel_random(void);                       /* 64 random bits */
uint64_t kernel_random_below(uint64_t bound);       /* uniform in [0, bound), bound > 0 */
double kernel_random_unit(void);                    /* uniform in [0, 1) */

/* Fixed sizes, for kernels without plan(). */
#define KERNEL_TEST_SIZES 0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 255, 1000, 1023, 4097

#endif
#endif
