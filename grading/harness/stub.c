/* The untrusted child: maps the judge's buffers, gives up every right, then calls the answer on demand.

   Theory of operation.  The ELF entry point is stub_entry, not libc's _start.  early() runs first, alone, on raw system calls: no answer
   code (IFUNC resolver, static initialiser) has run yet.  It maps the judge's memfds at fixed addresses, touches every read-only page of the
   image, tells the judge "mapped" and waits: this is where the judge takes the memory baseline and sets the address space fuse.  Then it
   installs the one and only filter (filter.h) and jumps to libc's _start, so resolvers and libc's start-up already run locked down and measured.

   Every call of a batch is started by one byte read from FD_GO, and how many bytes lie in the pipe cannot be told from inside: the judge may stop
   between any two calls and look whether one has touched what belongs to a later one.  The judge relies on nothing else in this process. */
#define _GNU_SOURCE
#include <elf.h>
#include <sched.h>
#include <stdbool.h>
#include <ucontext.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "filter.h"

#define CONTROL ((struct control *)(1ul << 20))        /* address_of(M_CONTROL) */
#ifdef KERNEL_EMPTY                                    /* the empty call, whose cost is subtracted */
void kernel_call(const void *in0, const void *in1, void *out, const union kernel_word *arg, union kernel_word *ret)
{
	(void)in0, (void)in1, (void)out, (void)arg, (void)ret;
}
#endif

/* ---------- raw system calls: usable before libc has set up thread-local storage ---------- */
#if defined(__x86_64__)
static inline long raw(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long r;
	__asm__ volatile("syscall" : "=a"(r) : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
	return r;
}
__asm__(".text\n.globl stub_entry\nstub_entry:\n xor %ebp,%ebp\n mov %rsp,%rbx\n mov %rsp,%rdi\n and $-16,%rsp\n call early\n mov %rbx,%rsp\n xor %edx,%edx\n jmp _start\n");
#elif defined(__aarch64__)
static inline long raw(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}
__asm__(".text\n.globl stub_entry\nstub_entry:\n mov x29,xzr\n mov x19,sp\n mov x0,sp\n bl early\n mov sp,x19\n mov x0,xzr\n b _start\n");
#endif

/* One exit status per cause; the judge reports them as faults of ours while they happen before the first call. */
enum { EXIT_MAP = 90, EXIT_FILTER = 92, EXIT_REFUSED = 93, EXIT_FUSE = 94 };
static void die(int code) { for (;;) raw(SYS_exit_group, code, 0, 0, 0, 0, 0); }
static uint64_t first_argument(const ucontext_t *u)
{
#if defined(__x86_64__)
	return u->uc_mcontext.gregs[REG_RDI];
#else
	return u->uc_mcontext.regs[0];
#endif
}
static void on_refused(int s, siginfo_t *i, void *u)
{
	(void)s;
	uint64_t first = first_argument(u);
	CONTROL->refused = i->si_syscall + 1;
	if (i->si_syscall == SYS_clone3) first = *(const uint64_t *)first;       /* the flags; where they cannot be read, on_fault() ends it */
	if ((i->si_syscall == SYS_clone || i->si_syscall == SYS_clone3) && first & CLONE_THREAD) CONTROL->refused = REFUSED_THREAD;
	die(EXIT_REFUSED);
}
/* The instructions that PR_SET_TSC switches off fault like a wild pointer does, but from the kernel and without an address. */
static bool reads_a_counter(const ucontext_t *u)
{
#if defined(__x86_64__)
	const unsigned char *at = (const unsigned char *)u->uc_mcontext.gregs[REG_RIP];
	while (*at == 0x66 || *at == 0x67 || (*at & 0xf0) == 0x40 || *at == 0xf2 || *at == 0xf3 || *at == 0x2e || *at == 0x3e) at++;      /* prefixes */
	return at[0] == 0x0f && (at[1] == 0x31 /* rdtsc */ || at[1] == 0x33 /* rdpmc */ || (at[1] == 0x01 && (at[2] == 0xf9 /* rdtscp */ || at[2] == 0xfd /* rdpru */)));
#else
	uint32_t read = *(const uint32_t *)u->uc_mcontext.pc & ~31u;
	return read == 0xd53be040 /* cntvct_el0 */ || read == 0xd53be020 /* cntpct_el0 */ || read == 0xd53be0c0 /* cntvctss_el0 */ || read == 0xd53be0a0 /* cntpctss_el0 */;
#endif
}
static void on_fault(int s, siginfo_t *i, void *u)     /* comes once: every later fault ends the process */
{
	(void)s;
	if (i->si_code == SI_KERNEL && reads_a_counter(u)) {
		CONTROL->refused = REFUSED_COUNTER;
		die(EXIT_REFUSED);
	}
	for (;;) (void)*(volatile char *)-4096l;         /* the same signal again: going back is no call that the filter lets pass */
}

/* ---------- before any answer code ---------- */
static char *base[MAPPINGS];
static void map_judge_memory(void)
{
	uint64_t size[MAPPINGS] = { PAGE };             /* the first page of control tells the rest */
	for (int i = 0; i < MAPPINGS; i++) {
		long at = address_of(i, size), rights = i == M_CONTROL || (i == M_OUT && CONTROL->writable_output) ? PROT_READ | PROT_WRITE : PROT_READ;
		if (raw(SYS_mmap, at, size[i], rights, MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_POPULATE, FD_MAP0 + i, 0) != at) die(EXIT_MAP);
		base[i] = (char *)at;
		if (i == M_CONTROL) {
			for (int j = 0; j < MAPPINGS; j++) size[j] = CONTROL->size[j];
			if (size[i] > PAGE && raw(SYS_mmap, at + PAGE, size[i] - PAGE, rights, MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_POPULATE, FD_MAP0 + i, PAGE) != at + (long)PAGE) die(EXIT_MAP);
		}
		raw(SYS_close, FD_MAP0 + i, 0, 0, 0, 0, 0);
	}
}
/* The kernel says where the program headers are (auxiliary vector, behind argc, argv and the environment): the linker's symbols for that could be
   defined by an answer's object, too. */
struct headers { const Elf64_Phdr *first; uint64_t count; };
static struct headers program_headers(const uint64_t *stack)
{
	const uint64_t *aux = stack + 1 + stack[0] + 1;
	struct headers h = { 0, 0 };
	while (*aux++) {}
	for (; aux[0] != AT_NULL; aux += 2) {
		if (aux[0] == AT_PHDR) h.first = (const Elf64_Phdr *)aux[1];
		if (aux[0] == AT_PHNUM) h.count = aux[1];
	}
	return h;
}
static uint64_t end_of_image(struct headers h)
{
	uint64_t end = 0;
	for (const Elf64_Phdr *p = h.first; p < h.first + h.count; p++)
		if (p->p_type == PT_LOAD && p->p_vaddr + p->p_memsz > end) end = p->p_vaddr + p->p_memsz;
	return end;
}
static void touch_read_only_image(struct headers h)      /* so that code paging in during a call is not taken for memory of the answer */
{
	for (const Elf64_Phdr *p = h.first; p < h.first + h.count; p++)
		for (uint64_t a = p->p_vaddr; p->p_type == PT_LOAD && !(p->p_flags & PF_W) && a < p->p_vaddr + p->p_memsz; a += 4096) (void)*(const volatile char *)a;
}
/* The clocks that the kernel answers in the process itself.  Where it lies is told by the auxiliary vector, which libc must not find there any more; the pages of its data come
   right before it.  Nothing else does, but for the stack, whose end the name of the program marks. */
__attribute__((unused)) static bool remove_vdso(uint64_t *stack)
{
	uint64_t *aux = stack + 1 + stack[0] + 1, *entry = 0, step = 4096, from, to, stack_end = 0;
	unsigned char seen;
	while (*aux++) {}
	for (; aux[0] != AT_NULL; aux += 2) {
		if (aux[0] == AT_SYSINFO_EHDR) entry = aux;
		if (aux[0] == AT_PAGESZ) step = aux[1];
		if (aux[0] == AT_EXECFN) {
			const char *end = (const char *)aux[1];
			while (*end++) {}
			stack_end = ((uint64_t)end + 8 + step - 1) & -step;
		}
	}
	if (!entry) return true;
	from = to = entry[1];
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)from;
	const Elf64_Phdr *p = (const Elf64_Phdr *)(from + head->e_phoff);
	for (int i = 0; i < head->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && from + p[i].p_vaddr + p[i].p_memsz > to) to = from + p[i].p_vaddr + p[i].p_memsz;
	to = (to + step - 1) & -step;
	while (from != stack_end && from > entry[1] - 64 * step && !raw(SYS_mincore, from - step, step, (long)&seen, 0, 0, 0)) from -= step;
	if (raw(SYS_munmap, from, to - from, 0, 0, 0, 0)) return false;
	entry[0] = AT_IGNORE;
	return true;
}
static void tell(uint32_t seq)
{
	char x = 0;
	CONTROL->done = seq;
	if (raw(SYS_write, FD_DONE, (long)&x, 1, 0, 0, 0) != 1) die(0);
}
static void wait_for_go(void)
{
	char x;
	if (raw(SYS_read, FD_GO, (long)&x, 1, 0, 0, 0) != 1) die(0);
}
__attribute__((used)) void early(uint64_t *stack)
{
	enum { RESTORER = 0x04000000 /* SA_RESTORER */ };
	struct { void (*handler)(int, siginfo_t *, void *); unsigned long flags; void (*restorer)(int); unsigned long mask; } action = { on_refused, SA_SIGINFO | RESTORER, die, 0 },
		fault = { on_fault, SA_SIGINFO | SA_RESETHAND | SA_NODEFER | RESTORER, die, 0 };
	struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
	map_judge_memory();
	struct headers headers = program_headers(stack);
	uint64_t own_from = (end_of_image(headers) + PAGE - 1) & ~(PAGE - 1);
	if (own_from < IMAGE || own_from >> 32) die(EXIT_NO_PROGRAM);       /* the filter compares one word */
	touch_read_only_image(headers);
	own_the_filter();
	fill_in(OWN_PID, raw(SYS_getpid, 0, 0, 0, 0, 0, 0));
	fill_in(OWN_FROM, own_from);
	raw(SYS_rt_sigaction, SIGSYS, (long)&action, 0, 8, 0, 0);
	raw(SYS_rt_sigaction, SIGSEGV, (long)&fault, 0, 8, 0, 0);
	/* no clock for the answer; arm64 has the first from Linux 6.12 on, gVisor never */
	bool counter_off = !raw(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0, 0);
#ifndef EMULATED                       /* no time is measured there, and an emulator lays out its guest as it likes */
	CONTROL->clocks_hidden = remove_vdso(stack) && counter_off;
#else
	(void)counter_off;
#endif
	tell(SEQ_MAPPED);
	wait_for_go();
	uint64_t fuse[2] = { CONTROL->address_space, CONTROL->address_space };
	if (raw(SYS_prlimit64, 0, RLIMIT_AS, (long)fuse, 0, 0, 0)) die(EXIT_FUSE);
#ifndef EMULATED                       /* qemu-user has no seccomp for its guest: correctness only */
	long refused = raw(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, (long)&program, 0, 0, 0);
	if (refused == -EINVAL) refused = raw(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program, 0, 0, 0);
	/* a kernel without filters: Landlock or the outer sandbox must hold, the record says so */
	if (refused && (CONTROL->needs_filter || (refused != -EINVAL && refused != -ENOSYS))) die(EXIT_FILTER);
#else
	(void)program;
#endif
}

int main(void)
{
	for (uint32_t seq = SEQ_READY;; seq++) {
		tell(seq);
		uint64_t j = 0;
		do {                           /* the first byte also says that control is filled in */
			wait_for_go();
			struct one_call *c = &CONTROL->call[j];
			kernel_call(base[M_IN0] + c->offset[0], base[M_IN1] + c->offset[1], base[M_OUT] + c->offset[2], c->arg, &c->ret);
		} while (++j < CONTROL->batch);
	}
}
