/* The memory shared with the children, and where in it a case's data lie.

   Inputs are one copy for all children, mapped from descriptors that are read-only for ever.  Outputs are a memfd per child, of just the size that
   is needed: a page of lead and of tail that are checked, so there is no spare memory worth hiding anything in.  In the small tests data lie
   unaligned, or flush against the unmapped pages before and behind the mapping; in the benchmark at a random 64-byte offset, away from guards. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>

#include "judge.h"

struct buffers input[KERNEL_INPUTS], output[CHILDREN];
struct kernel_case cases[BATCH_MAX];
size_t place_of[BATCH_MAX][3];
static struct { unsigned char *start, *want; size_t start_size, want_size; } private[BATCH_MAX];

enum { BATCH_BYTES = 1 << 20, UNALIGNED_STEPS = 7 };

static size_t pages(size_t bytes) { return (bytes + PAGE - 1) & ~(PAGE - 1); }
/* from one call's data to the next in a batch: a cache line at least lies between them */
static size_t stride(size_t bytes) { return bytes ? (bytes + 127) & ~63ul : 0; }

/* How many calls' data may lie side by side without their outputs becoming scratch worth having. */
size_t batch_that_fits(void)
{
	struct kernel_case c = { 0 };
	kernel.shape_bench(opt.size, 0, &c);
	size_t bytes = c.in_bytes[0] + c.in_bytes[1] + c.out_bytes + 1, most = BATCH_BYTES / bytes;
	return most < 2 ? 1 : most > BATCH_MAX ? BATCH_MAX : most;
}
static int make_memory(size_t size, unsigned char **p)
{
	int f = memfd_create("data", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (f < 0 || ftruncate(f, size)) fault("memfd");
	*p = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, f, 0);
	if (*p == MAP_FAILED) fault("mmap");
	fcntl(f, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	return f;
}
int read_only(int fd)
{
	char p[64];
	snprintf(p, sizeof p, "/proc/self/fd/%d", fd);
	int f = open(p, O_RDONLY | O_CLOEXEC);
	if (f < 0) fault("open");
	return f;
}
static void at_least(size_t *size, size_t bytes)
{
	if (bytes > *size) *size = bytes;
}
void make_buffers(void)
{
	size_t need[3] = { PAGE, PAGE, PAGE }, lead = 3 * PAGE, calls = opt.batch > 0 ? (size_t)opt.batch : batch_that_fits();
	for (size_t t = 0; t < kernel.tests; t++) {
		struct kernel_case c = { 0 };
		kernel.shape_test(t, &c);
		size_t bytes[3] = { c.in_bytes[0], c.in_bytes[1], c.out_bytes };
		for (int i = 0; i < 3; i++) at_least(&need[i], pages(bytes[i]) + pages(bytes[i] / 4) + lead);      /* a quarter more: shapes may be random */
	}
	for (unsigned v = 0; v <= kernel.extra_checks; v++) {
		struct kernel_case c = { 0 };
		kernel.shape_bench(opt.size, v, &c);
		size_t bytes[3] = { c.in_bytes[0], c.in_bytes[1], c.out_bytes }, k = v ? 1 : calls;
		for (int i = 0; i < 3; i++) at_least(&need[i], pages((k - 1) * stride(bytes[i]) + bytes[i]) + lead);
	}
	for (int i = 0; i < KERNEL_INPUTS; i++) input[i].fd = make_memory(input[i].size = kernel.in_align[i] ? need[i] : PAGE, &input[i].p);
	for (int i = 0; i < CHILDREN; i++) output[i].fd = make_memory(output[i].size = kernel.out_align ? need[2] : PAGE, &output[i].p);
	if (address_of(MAPPINGS, (uint64_t[]){ 1 << 20, input[0].size, input[1].size, output[0].size }) > IMAGE) verdict("internal_error", "the buffers do not fit below the image");
}

static unsigned char *grow(unsigned char *p, size_t *size, size_t bytes)
{
	if (bytes <= *size) return p;
	free(p);
	p = aligned_alloc(64, *size = pages(bytes));
	if (!p) fault("memory for the judge's own expectation");
	return p;
}
static size_t case_bytes(const struct kernel_case *c, int i) { return i < KERNEL_INPUTS ? c->in_bytes[i] : c->out_bytes; }
static size_t align_of(int i) { return i < KERNEL_INPUTS ? kernel.in_align[i] : kernel.out_align; }
static size_t size_of(int i) { return i < KERNEL_INPUTS ? input[i].size : output[0].size; }

static void fill_case(size_t j)
{
	struct kernel_case *c = &cases[j];
	for (int i = 0; i < 3; i++)
		if (align_of(i) && place_of[j][i] + case_bytes(c, i) > size_of(i)) verdict("internal_error", "a case of %s does not fit its buffers (%s)", kernel.name, c->note);
	for (int i = 0; i < KERNEL_INPUTS; i++) c->in[i] = input[i].p + place_of[j][i];
	private[j].start = grow(private[j].start, &private[j].start_size, kernel.in_place ? c->out_bytes + 1 : 1);
	private[j].want = grow(private[j].want, &private[j].want_size, c->want_bytes + 1);
	c->out_start = private[j].start;
	c->want = private[j].want;
	kernel.fill(c);
}
/* Small test `index` in one of the placements; offsets of the three buffers differ from each other and from test to test. */
void make_test(size_t index, enum placement placement)
{
	struct kernel_case *c = &cases[0];
	memset(c, 0, sizeof *c);
	kernel.shape_test(index, c);
	for (int i = 0; i < 3; i++) {
		size_t el = align_of(i), at = 0;
		if (el && placement == UNALIGNED) at = PAGE + (1 + (index + 2 * i) % UNALIGNED_STEPS) * el;
		if (el && placement == FLUSH_END) at = size_of(i) - case_bytes(c, i);
		place_of[0][i] = at;
	}
	fill_case(0);
}
void make_bench(unsigned variant, size_t batch)
{
	size_t first[3];
	for (int i = 0; i < 3; i++) first[i] = align_of(i) ? PAGE + kernel_random_below(64) * 64 : 0;
	for (size_t j = 0; j < batch; j++) {
		memset(&cases[j], 0, sizeof cases[j]);
		kernel.shape_bench(opt.size, variant, &cases[j]);
		for (int i = 0; i < 3; i++) place_of[j][i] = first[i] + (align_of(i) ? j * stride(case_bytes(&cases[j], i)) : 0);
		fill_case(j);
	}
}
