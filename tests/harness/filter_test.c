/* Runs the stub's filter through a small BPF interpreter, so that it can be checked for an architecture whose kernel is not at hand (qemu-user has
   no seccomp for its guest).  A row: a call, its arguments, what the filter must answer.  Exit status 1 on a wrong row. */
#define _GNU_SOURCE
#define KERNEL_STUB
#include <stdio.h>
#include <sys/prctl.h>

#include "filter.h"

static uint32_t run(const struct seccomp_data *d)
{
	uint32_t a = 0;
	for (unsigned i = 0; i < sizeof filter / sizeof *filter; i++) {
		const struct sock_filter *f = &filter[i];
		switch (f->code) {
		case BPF_LD | BPF_W | BPF_ABS: a = *(const uint32_t *)((const char *)d + f->k); break;
		case BPF_JMP | BPF_JEQ | BPF_K: i += a == f->k ? f->jt : f->jf; break;
		case BPF_JMP | BPF_JGE | BPF_K: i += a >= f->k ? f->jt : f->jf; break;
		case BPF_JMP | BPF_JGT | BPF_K: i += a > f->k ? f->jt : f->jf; break;
		case BPF_JMP | BPF_JSET | BPF_K: i += a & f->k ? f->jt : f->jf; break;
		case BPF_ALU | BPF_AND | BPF_K: a &= f->k; break;
		case BPF_RET | BPF_K: return f->k;
		default: return 0xdead;
		}
	}
	return 0xdead;
}
#define OK SECCOMP_RET_ALLOW
#define NO(e) (SECCOMP_RET_ERRNO | (e))
#define TRAP SECCOMP_RET_TRAP
#define PA (MAP_PRIVATE | MAP_ANONYMOUS)
static const struct {
	int nr;
	uint64_t a[6];
	uint32_t want;
	const char *what;
} row[] = {
	{ SYS_read, { 3 }, OK, "read go" },
	{ SYS_read, { 0 }, NO(EBADF), "read 0" },
	{ SYS_read, { 4 }, NO(EBADF), "read done" },
	{ SYS_write, { 4, 0, 1 }, OK, "write done" },
	{ SYS_write, { 4, 0, 2 }, NO(EBADF), "write done 2" },
	{ SYS_write, { 1, 0, 1 }, NO(EBADF), "write 1" },
	{ SYS_write, { 3, 0, 1 }, NO(EBADF), "write go" },
	{ SYS_brk, { 0 }, OK, "brk" },
	{ SYS_mmap, { 0, 4096, 3, PA }, OK, "mmap own" },
	{ SYS_mmap, { 0, 4096, 3, PA | MAP_NORESERVE | MAP_STACK | MAP_POPULATE }, OK, "mmap own, hints" },
	{ SYS_mmap, { 0, 4096, 7, PA }, NO(EPERM), "mmap exec" },
	{ SYS_mmap, { 0x100000, 4096, 3, PA | MAP_FIXED }, NO(EPERM), "mmap fixed" },
	{ SYS_mmap, { 0x100000, 4096, 3, PA | MAP_FIXED_NOREPLACE }, NO(EPERM), "mmap fixed, no replace" },
	{ SYS_mmap, { 0, 4096, 3, PA | MAP_HUGETLB }, NO(EPERM), "mmap huge" },
	{ SYS_mmap, { 0, 4096, 3, MAP_PRIVATE, 3 }, NO(EPERM), "mmap file" },
	{ SYS_mmap, { 0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS }, TRAP, "mmap shared" },
	{ SYS_munmap, { 0x100000, 4096 }, NO(EPERM), "munmap control" },
	{ SYS_munmap, { 0x40000000, 4096 }, NO(EPERM), "munmap image" },
	{ SYS_munmap, { 0x40100000 - 1, 4096 }, NO(EPERM), "munmap last page of image" },
	{ SYS_munmap, { 0x40100000, 4096 }, OK, "munmap heap" },
	{ SYS_munmap, { 0x7f0000000000, 4096 }, OK, "munmap high" },
	{ SYS_munmap, { 0x7f0000100000, 4096 }, OK, "munmap high, low word below the image" },
	{ SYS_munmap, { 0, 1ul << 46 }, NO(EPERM), "munmap all" },
	{ SYS_mremap, { 0x7f0000000000, 1, 2, MREMAP_MAYMOVE }, OK, "mremap own" },
	{ SYS_mremap, { 0x7f0000000000, 1, 2, 0 }, OK, "mremap own in place" },
	{ SYS_mremap, { 0x7f0000000000, 1, 2, MREMAP_MAYMOVE | MREMAP_FIXED, 0x100000 }, NO(EPERM), "mremap fixed" },
	{ SYS_mremap, { 0x7f0000000000, 1, 2, 5 }, NO(EPERM), "mremap dontunmap" },
	{ SYS_mremap, { 0x200000, 1, 2, MREMAP_MAYMOVE }, NO(EPERM), "mremap input" },
	{ SYS_madvise, { 0x7f0000000000, 1, MADV_DONTNEED }, OK, "discard own" },
	{ SYS_madvise, { 0x40100000, 1, MADV_FREE }, OK, "free heap" },
	{ SYS_madvise, { 0x200000, 1, MADV_DONTNEED }, NO(EPERM), "discard input" },
	{ SYS_madvise, { 0x7f0000000000, 1, 21 }, NO(0), "pageout dropped" },
	{ SYS_madvise, { 0x200000, 1, 21 }, NO(EPERM), "pageout input" },
	{ SYS_tgkill, { 1234, 1234, SIGABRT }, OK, "abort" },
	{ SYS_tgkill, { 1234, 1234, 9 }, NO(EPERM), "kill self" },
	{ SYS_tgkill, { 1, 1, SIGABRT }, NO(EPERM), "abort another" },
	{ SYS_prlimit64, { 0, 3, 0, 1 }, OK, "getrlimit" },
	{ SYS_prlimit64, { 0, 3, 1ul << 40, 0 }, NO(EPERM), "setrlimit" },
	{ SYS_mprotect, { 0x200000, 1, 3 }, NO(EPERM), "mprotect" },
	{ SYS_execve, { 0 }, TRAP, "execve" },
	{ SYS_clone, { 0 }, TRAP, "clone" },
	{ SYS_clone3, { 0 }, TRAP, "clone3" },
	{ SYS_openat, { 0 }, NO(ENOENT), "openat" },
	{ SYS_newfstatat, { 1, 0, 0, AT_EMPTY_PATH }, NO(EBADF), "fstat" },
	{ SYS_newfstatat, { AT_FDCWD, 0, 0, 0 }, NO(ENOENT), "stat" },
	{ SYS_readlinkat, { 0 }, NO(ENOENT), "readlink" },
	{ SYS_mkdirat, { 0 }, NO(EACCES), "mkdir" },
	{ SYS_prctl, { PR_SET_TSC, PR_TSC_ENABLE }, TRAP, "prctl" },
	{ SYS_prctl, { PR_SET_NAME }, NO(0), "a thread's name is set" },
	{ SYS_prctl, { PR_GET_NAME }, OK, "a thread's name is read" },
	{ SYS_seccomp, { 0 }, TRAP, "seccomp" },
	{ SYS_clock_gettime, { 0 }, TRAP, "clock_gettime" },
	{ SYS_gettimeofday, { 0 }, TRAP, "gettimeofday" },
	{ SYS_getrusage, { 0 }, TRAP, "getrusage" },
	{ SYS_times, { 0 }, TRAP, "times" },
	{ SYS_clock_nanosleep, { 0 }, TRAP, "sleep" },
	{ SYS_ppoll, { 0 }, TRAP, "ppoll" },
	{ SYS_futex, { 0, FUTEX_WAIT }, TRAP, "futex wait" },
	{ SYS_futex, { 0, FUTEX_WAIT | FUTEX_PRIVATE_FLAG }, TRAP, "futex wait, private" },
	{ SYS_futex, { 0, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME }, TRAP, "futex wait until" },
	{ SYS_futex, { 0, FUTEX_WAKE | FUTEX_PRIVATE_FLAG }, NO(0), "futex wake" },
	{ SYS_futex, { 0, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG }, NO(0), "futex wake with an operation" },
	{ SYS_futex, { 0, FUTEX_LOCK_PI }, NO(ENOSYS), "futex with priority" },
	{ SYS_futex, { 0, FUTEX_WAIT_REQUEUE_PI }, NO(ENOSYS), "futex wait and requeue" },
	{ SYS_futex, { 0, FUTEX_WAIT | 1ul << 32 }, TRAP, "futex wait, high word of the operation" },
	{ SYS_sched_yield, { 0 }, NO(0), "yield" },
	{ SYS_getppid, { 0 }, NO(0), "parent" },
	{ SYS_sched_getaffinity, { 0 }, OK, "own cores" },
	{ SYS_sched_getaffinity, { 1234 }, OK, "own cores by number" },
	{ SYS_sched_getaffinity, { 1 }, NO(ESRCH), "cores of another" },
	{ SYS_mlock, { 0x200000, 4096 }, NO(EPERM), "mlock" },
	{ SYS_mincore, { 0x200000, 4096 }, NO(ENOSYS), "mincore" },
	{ SYS_uname, { 0 }, NO(ENOSYS), "uname" },
	{ SYS_kill, { 1234, 0 }, TRAP, "kill" },
	{ SYS_wait4, { 0 }, NO(ECHILD), "wait" },
	{ SYS_socket, { 0 }, NO(EACCES), "socket" },
	{ SYS_memfd_create, { 0 }, TRAP, "memfd" },
	{ SYS_rt_sigreturn, { 0 }, TRAP, "sigreturn" },
	{ SYS_exit_group, { 0 }, OK, "exit" },
	{ SYS_execveat, { 0 }, TRAP, "execveat" },
	{ SYS_ioctl, { FD_GO, 0x541b }, NO(ENOTTY), "how many calls lie in the pipe (FIONREAD)" },
	{ SYS_readv, { FD_GO }, NO(EBADF), "readv" },
	{ SYS_pread64, { FD_GO }, NO(EBADF), "pread" },
	{ SYS_dup, { FD_GO }, NO(EBADF), "dup" },
	{ SYS_dup3, { 0, FD_GO }, NO(EBADF), "dup3" },
	{ SYS_fcntl, { FD_GO }, NO(EBADF), "fcntl" },
	{ SYS_close, { FD_GO }, NO(EBADF), "close" },
	{ SYS_splice, { 0 }, TRAP, "splice" },
	{ SYS_tee, { 0 }, TRAP, "tee" },
	{ SYS_ptrace, { 0 }, TRAP, "ptrace" },
	{ SYS_process_vm_writev, { 0 }, TRAP, "another process's memory" },
	{ SYS_io_uring_setup, { 0 }, TRAP, "io_uring" },
};
int main(void)
{
	int bad = 0, n = sizeof row / sizeof *row;
	own_the_filter();
	fill_in(OWN_PID, 1234);
	fill_in(OWN_FROM, 0x40100000);
	for (int i = 0; i < n; i++) {
		struct seccomp_data d = { .nr = row[i].nr, .arch = AUDIT_ARCH_OWN };
		for (int j = 0; j < 6; j++) d.args[j] = row[i].a[j];
		uint32_t got = run(&d);
		if (got == row[i].want) continue;
		bad++;
		printf("%s: got %08x, want %08x\n", row[i].what, got, row[i].want);
	}
	struct seccomp_data other = { .nr = SYS_brk, .arch = AUDIT_ARCH_OWN ^ 1 };
	if (run(&other) != SECCOMP_RET_KILL_PROCESS) {
		bad++;
		puts("another architecture is not killed");
	}
	printf("%d rows, %d wrong, %zu instructions\n", n + 1, bad, sizeof filter / sizeof *filter);
	return bad > 0;
}
