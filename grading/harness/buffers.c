/* The memory shared with the children, and where in it a case's data lie.

   Inputs are one copy for all children, mapped from descriptors that are read-only for ever.  Outputs are a memfd per child, of just the size that
   the largest case needs; what lies before and behind an output is filled with a stream that cannot be restored (stream.c) and checked, so there is
   no spare memory to hide anything in.  In the benchmark data lie at a random 64-byte offset, away from guards.

   Small tests are called several at a time, since a round trip costs many times what they do: side by side, at alignments that take turns for each
   size modulo 64, so that sizes meet all of them.  Then the last one's arguments once more with all data flush against the unmapped page before
   the mapping, and once more flush against the one behind it.  A case has been away from the guards before it is near one: when it ends there,
   it is an access outside the data. */
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

enum placement placement_of[BATCH_MAX];

enum {
	BATCH_BYTES = 1 << 20,
	TESTS_MAX = TEST_CALLS - 2, TESTS_BYTES = 1 << 16,     /* small tests in one batch: their data stay in the cache */
	LINE = 64, GAP = 5 * LINE,                     /* between two of them: poison, where it is output */
};

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
static size_t tests;
void plan_tests(void) { tests = kernel.plan ? kernel.plan(opt.size) : kernel.tests; }
size_t count_tests(void) { return tests; }
static size_t bytes_of(const struct kernel_case *c) { return c->in_bytes[0] + c->in_bytes[1] + c->out_bytes; }
static void shape_test(size_t index, struct kernel_case *c)
{
	memset(c, 0, sizeof *c);
	kernel.shape_test(index, c);
	if (!kernel.plan) c->guarded = true;
}
static bool stands_alone(const struct kernel_case *c)
{
	return c->shared || c->inputs_only || bytes_of(c) > TESTS_BYTES;
}
/* How many tests from `index` on make a batch: one that is guarded ends it, large ones and those with shared inputs are alone. */
static size_t tests_together(size_t index)
{
	size_t bytes = 0;
	struct kernel_case c;
	for (size_t count = 0; index + count < tests && count < TESTS_MAX; count++) {
		shape_test(index + count, &c);
		bool alone = stands_alone(&c);
		if (count > 0 && (alone || (bytes += bytes_of(&c)) > TESTS_BYTES)) return count;
		if (c.guarded || alone) return count + 1;
	}
	return index + TESTS_MAX < tests ? TESTS_MAX : tests - index;
}
void size_buffers(void)
{
	size_t need[3] = { PAGE, PAGE, PAGE }, lead = 3 * PAGE, calls = opt.batch > 0 ? (size_t)opt.batch : batch_that_fits();
	for (size_t t = 0, count; t < tests; t += count) {
		struct kernel_case c;
		size_t sum[3] = { 0 }, last[3] = { 0 };
		count = tests_together(t);
		for (size_t j = 0; j < count; j++) {
			shape_test(t + j, &c);
			size_t bytes[3] = { c.in_bytes[0], c.in_bytes[1], c.out_bytes };
			if (!kernel.plan)
				for (int i = 0; i < 3; i++) bytes[i] += bytes[i] / 4;      /* shapes may be random */
			for (int i = 0; i < 3; i++) sum[i] += stride(last[i] = bytes[i]) + GAP + LINE;
		}
		for (int i = 0; i < 3; i++) at_least(&need[i], pages(sum[i]) + (c.guarded ? 2 * (pages(last[i]) + PAGE) : 0) + lead);
	}
	for (unsigned v = 0; v <= kernel.extra_checks; v++) {
		struct kernel_case c = { 0 };
		kernel.shape_bench(opt.size, v, &c);
		size_t bytes[3] = { c.in_bytes[0], c.in_bytes[1], c.out_bytes }, k = v ? 1 : calls;
		for (int i = 0; i < 3; i++) at_least(&need[i], pages((k - 1) * stride(bytes[i]) + bytes[i]) + lead);
	}
	for (int i = 0; i < KERNEL_INPUTS; i++) input[i].size = kernel.in_align[i] ? need[i] : PAGE;
	for (int i = 0; i < CHILDREN; i++) output[i].size = kernel.out_align ? need[2] : PAGE;
}
void make_buffers(void)
{
	size_buffers();
	for (int i = 0; i < KERNEL_INPUTS; i++) input[i].fd = make_memory(input[i].size, &input[i].p);
	for (int i = 0; i < CHILDREN; i++) output[i].fd = make_memory(output[i].size, &output[i].p);
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

static void must_fit(size_t j)
{
	for (int i = 0; i < 3; i++)
		if (align_of(i) && place_of[j][i] + case_bytes(&cases[j], i) > size_of(i)) verdict("internal_error", "a case of %s does not fit its buffers (%s)", kernel.name, cases[j].note);
}
static void fill_case(size_t j)
{
	struct kernel_case *c = &cases[j];
	for (int i = 0; i < KERNEL_INPUTS; i++) c->in[i] = input[i].p + place_of[j][i];
	private[j].start = grow(private[j].start, &private[j].start_size, kernel.in_place ? c->out_bytes + 1 : 1);
	private[j].want = grow(private[j].want, &private[j].want_size, c->want_bytes + 1);
	c->out_start = private[j].start;
	c->want = private[j].want;
	kernel.fill(c);
}
/* Which multiple of its element's size an unaligned buffer lies behind a cache line's begin: for each size modulo 64 the first one takes all in
   turn, the output in another order, the second input at random. */
static size_t alignment_of(int i, size_t size)
{
	static size_t first[LINE][3], seen[LINE][3];
	size_t *begin = &first[size % LINE][i], *times = &seen[size % LINE][i], steps = LINE / align_of(i);
	if (*times == 0) *begin = kernel_random_below(LINE);
	size_t turn = i == 1 ? kernel_random_below(LINE) : *begin + (i == 2 ? 5 : 1) * (*times)++;
	return turn % steps * align_of(i);
}
static void place(size_t j, enum placement placement, const size_t *at)
{
	placement_of[j] = placement;
	for (int i = 0; i < 3; i++) place_of[j][i] = align_of(i) ? at[i] : 0;
	must_fit(j);
}
static size_t shared_done;                             /* the size up to which the expectation of shared cases has been worked out */
/* The batch of small tests that begins with `index`: what its calls are, and where their data lie.  Returns how many tests it is; *calls is more
   when the last one is guarded, and 0 where inputs are only laid out.  A shared case keeps what the case before it had. */
size_t place_tests(size_t index, size_t *calls)
{
	const size_t count = tests_together(index);
	struct kernel_case before = cases[0];
	size_t at[3], free_from[3];
	shape_test(index + count - 1, &cases[count - 1]);
	if (cases[0].shared) {
		struct kernel_case *c = &cases[0];
		memcpy(c->in, before.in, sizeof c->in);
		c->out_start = before.out_start, c->want = before.want;
		c->want_value = before.want_value, c->tolerance = before.tolerance;
		shared_done = before.shared ? before.arg[0].u64 : 0;
		must_fit(0);
		return *calls = 1;
	}
	for (int i = 0; i < 3; i++) free_from[i] = PAGE + (cases[count - 1].guarded ? pages(case_bytes(&cases[count - 1], i)) : 0);
	for (size_t j = 0; j < count; j++) {
		struct kernel_case *c = &cases[j];
		shape_test(index + j, c);
		for (int i = 0; i < 3; i++) {
			if (!align_of(i)) continue;
			at[i] = free_from[i] + alignment_of(i, c->arg[0].u64);
			free_from[i] += stride(case_bytes(c, i)) + GAP;
		}
		place(j, UNALIGNED, at);
	}
	*calls = cases[0].inputs_only ? 0 : count;
	if (!cases[count - 1].guarded || !(align_of(0) || align_of(1) || align_of(2))) return count;
	for (enum placement p = FLUSH_START; p <= FLUSH_END; p++) {
		shape_test(index + count - 1, &cases[*calls]);
		for (int i = 0; i < 3; i++) at[i] = p == FLUSH_START ? 0 : size_of(i) - case_bytes(&cases[*calls], i);
		place((*calls)++, p, at);
	}
	return count;
}
/* Whether the batch that begins with `index` lays out the inputs of the large sizes. */
bool begins_large_tests(size_t index)
{
	struct kernel_case c;
	shape_test(index, &c);
	return c.inputs_only;
}
/* More data than the benchmark's: what an answer takes for them is not what is limited. */
bool exceeds_benchmark(void)
{
	struct kernel_case usual = { 0 };
	kernel.shape_bench(opt.size, 0, &usual);
	return stands_alone(&cases[0]) && bytes_of(&cases[0]) > bytes_of(&usual);
}
void fill_tests(size_t calls)
{
	if (cases[0].shared) kernel.expect(&cases[0], shared_done);
	else for (size_t j = 0; j < (cases[0].inputs_only ? 1 : calls); j++) fill_case(j);
}
void place_bench(unsigned variant, size_t batch)
{
	size_t first[3], at[3];
	for (int i = 0; i < 3; i++) first[i] = align_of(i) ? PAGE + kernel_random_below(64) * 64 : 0;
	for (size_t j = 0; j < batch; j++) {
		memset(&cases[j], 0, sizeof cases[j]);
		kernel.shape_bench(opt.size, variant, &cases[j]);
		for (int i = 0; i < 3; i++) at[i] = first[i] + (align_of(i) ? j * stride(case_bytes(&cases[j], i)) : 0);
		place(j, BENCHMARK, at);
	}
}
void make_bench(unsigned variant, size_t batch)
{
	place_bench(variant, batch);
	for (size_t j = 0; j < batch; j++) fill_case(j);
}
