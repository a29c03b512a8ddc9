/* The one seccomp filter of a child: what the answer's process may ask of the system, for both architectures.

   It has no state and no secret.  Refused calls either fail with an error (things that honest library code tries and can do without) or end the
   process through SIGSYS, whose handler leaves the call's number for the detail.  read(FD_GO) is the only call left that can sleep: the judge's
   clock rests on that.  No fork, no files, no clock, no executable memory, no MAP_FIXED. */
#ifndef FILTER_H
#define FILTER_H
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "proto.h"

#if defined(__x86_64__)
#define AUDIT_ARCH_OWN AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define AUDIT_ARCH_OWN AUDIT_ARCH_AARCH64
#else
#error "architecture not supported"
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define LOW(i) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (i))        /* little endian */
#define HIGH(i) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (i) + 4)
#define JEQ(k, t, f) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, t, f)
#define JGE(k, t, f) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, k, t, f)
#define JGT(k, t, f) BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, k, t, f)
#define JSET(k, t, f) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, k, t, f)
#define RETURN(x) BPF_STMT(BPF_RET | BPF_K, x)
#define YES RETURN(SECCOMP_RET_ALLOW)
#define ERROR(e) RETURN(SECCOMP_RET_ERRNO | (e))
#define ALLOW(nr) JEQ(nr, 0, 1), YES
#define FAIL(nr, e) JEQ(nr, 0, 1), ERROR(e)

enum { OWN_PID = 0x7ffffffe, OWN_FROM = 0x7ffffffd };        /* placeholders, filled in by early() */
static struct sock_filter filter[] = {
	LOAD(arch), JEQ(AUDIT_ARCH_OWN, 1, 0), RETURN(SECCOMP_RET_KILL_PROCESS),
	LOAD(nr),
	/* the judge's two pipes; anything else written is dropped with an error, so printf is harmless */
	JEQ(SYS_read, 0, 4), LOW(0), JEQ(FD_GO, 1, 0), ERROR(EBADF), YES,
	JEQ(SYS_write, 0, 6), LOW(0), JEQ(FD_DONE, 0, 3), LOW(2), JEQ(1, 0, 1), YES, ERROR(EBADF),
	/* the answer's own memory: never below the end of the image (64-bit compare in two words), never MAP_FIXED, MREMAP_FIXED, file, huge or
	   executable; MAP_SHARED is fatal; brk cannot reach below the heap */
	ALLOW(SYS_brk),
	JEQ(SYS_mmap, 0, 9), LOW(2), JSET(PROT_EXEC, 5, 0), LOW(3), JSET(MAP_SHARED, 4, 0),
		JSET(~(uint32_t)(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_POPULATE), 2, 0),
		JSET(MAP_ANONYMOUS, 0, 1), YES, ERROR(EPERM), RETURN(SECCOMP_RET_TRAP),
	JEQ(SYS_munmap, 0, 6), HIGH(0), JGT(0, 2, 0), LOW(0), JGE(OWN_FROM, 0, 1), YES, ERROR(EPERM),
	JEQ(SYS_mremap, 0, 8), HIGH(0), JGT(0, 2, 0), LOW(0), JGE(OWN_FROM, 0, 3), LOW(3), JSET(~(uint32_t)MREMAP_MAYMOVE, 1, 0), YES, ERROR(EPERM),
	JEQ(SYS_madvise, 0, 10), HIGH(0), JGT(0, 2, 0), LOW(0), JGE(OWN_FROM, 0, 5), LOW(2), JEQ(MADV_DONTNEED, 2, 0), JEQ(MADV_FREE, 1, 0), ERROR(0), YES, ERROR(EPERM),   /* other hints are dropped */
	/* abort(): SIGABRT to itself only */
	JEQ(SYS_tgkill, 0, 6), LOW(0), JEQ(OWN_PID, 0, 3), LOW(2), JEQ(SIGABRT, 0, 1), YES, ERROR(EPERM),
	/* libc's start-up and exit */
	JEQ(SYS_prlimit64, 0, 6), LOW(2), JEQ(0, 0, 3), HIGH(2), JEQ(0, 0, 1), YES, ERROR(EPERM),      /* reading limits only */
#ifdef __x86_64__
	JEQ(SYS_arch_prctl, 0, 4), LOW(0), JEQ(0x1002 /* ARCH_SET_FS */, 0, 1), YES, ERROR(EINVAL),
	FAIL(SYS_readlink, EACCES),
#endif
	ALLOW(SYS_exit_group), ALLOW(SYS_exit), ALLOW(SYS_getrandom), ALLOW(SYS_getpid), ALLOW(SYS_gettid), ALLOW(SYS_set_tid_address), ALLOW(SYS_set_robust_list),
	ALLOW(SYS_rseq), ALLOW(SYS_sysinfo),               /* qsort asks how much memory there is */
	/* what honest library code tries and can do without */
	FAIL(SYS_readlinkat, EACCES), FAIL(SYS_mprotect, EPERM), FAIL(SYS_fstat, EBADF), FAIL(SYS_newfstatat, EBADF), FAIL(SYS_ioctl, ENOTTY), FAIL(SYS_writev, EBADF),
	FAIL(SYS_lseek, ESPIPE), FAIL(SYS_close, EBADF), FAIL(SYS_rt_sigprocmask, EPERM), FAIL(SYS_rt_sigaction, EPERM), FAIL(SYS_futex, ENOSYS),
	RETURN(SECCOMP_RET_TRAP),
};
/* Reading a page of a file maps its neighbours, too, up to a whole large folio, and writing it does not: before the memory's baseline no page of an
   answer's own data must come in that way.  So the first access to the table is a write, to both of its ends, of what stands there. */
static void own_the_filter(void)
{
	*(volatile uint16_t *)&filter[0].code = BPF_LD | BPF_W | BPF_ABS;
	*(volatile uint16_t *)&filter[sizeof filter / sizeof *filter - 1].code = BPF_RET | BPF_K;
}
static void fill_in(uint32_t place, uint32_t value)
{
	for (unsigned i = 0; i < sizeof filter / sizeof *filter; i++)
		if (BPF_CLASS(filter[i].code) == BPF_JMP && filter[i].k == place) filter[i].k = value;
}
#endif
