/* Shared by the trusted judge and the stub that carries the answer.

   Address map of a child (static, non-PIE): the judge's mappings from 1 MiB up, then the image at IMAGE (build.sh and grade.c link it there), and
   above its end everything that is the answer's own: brk heap, mmap, stack.  The stub's filter lets nothing below the end of the image be unmapped,
   moved, discarded or replaced, so pages that are ours stay counted for ever.  The judge's buffers together must fit below IMAGE. */
#ifndef PROTO_H
#define PROTO_H
#include <stddef.h>
#include <stdint.h>

#include "kernel.h"

#ifdef __aarch64__
#define PAGE 65536ul                   /* the largest an arm64 kernel may have: right for the smaller ones, too */
#else
#define PAGE 4096ul
#endif
#define IMAGE 0x40000000ul             /* -Wl,-Ttext-segment of every child */

enum { BATCH_MAX = 256 };
enum { EXIT_NO_PROGRAM = 98 };        /* before the first byte of the pipes: the system or the stub cannot make a process of the file */
enum mapping { M_CONTROL, M_IN0, M_IN1, M_OUT, MAPPINGS };
enum { FD_GO = 3, FD_DONE = 4, FD_MAP0 = 5 };
enum { SEQ_MAPPED = 1, SEQ_READY = 2 };
enum { REFUSED_COUNTER = 0x7fffff01, REFUSED_THREAD };       /* no numbers of calls: an instruction that reads a counter, a clone that shares all */

struct one_call {
	uint64_t offset[3];            /* judge: where the two inputs and the output begin in their mappings */
	union kernel_word arg[KERNEL_ARGS];
	union kernel_word ret;         /* stub: the scalar result */
};
/* Writable for the child, and nothing in it is trusted by the judge: results are compared, the rest only steers the child itself. */
struct control {
	volatile uint32_t done;        /* stub: number of the last thing it finished (1 mapped, 2 ready, then batches) */
	volatile uint32_t refused;     /* stub: 1 + number of the refused system call that ended it, or one of REFUSED_*; for the detail only */
	uint64_t size[MAPPINGS];       /* judge: bytes of each mapping */
	uint32_t writable_output;      /* judge: 0 for kernels without an output, so that there is no page to hide anything in */
	uint32_t needs_filter;         /* judge: without the filter nothing would keep files from the answer */
	uint64_t address_space;        /* judge: the child's RLIMIT_AS, a fuse only */
	uint32_t batch;                /* judge: calls in this batch, each started by a byte of its own */
	volatile uint32_t clocks_hidden;      /* stub, before anything of the answer runs: neither the cycle counter nor the kernel's own page of clocks can be read */
	struct one_call call[];        /* batch of them */
};

/* Where mapping i lies: 1 MiB steps, at least 1 MiB of nothing between two, which serves as guard on both sides. */
static inline uint64_t address_of(int i, const uint64_t *size)
{
	uint64_t a = 1ul << 20;
	for (int j = 0; j < i; j++) a = (a + size[j] + (2ul << 20) - 1) & ~((1ul << 20) - 1);
	return a;
}
#endif
