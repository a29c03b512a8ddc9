/* The one seccomp filter of a child: what the answer's process may ask of the system, for both architectures.

   It has no state and no secret.  To an answer there are no files, no descriptors and no other processes: what asks for them, or for something without
   effect, fails with an error as honest library code expects it, and is not carried out.  What cannot fail quietly (clocks, waiting, threads, processes, signals)
   ends the process through SIGSYS, whose handler leaves the call's number for the detail (refusals.h).  read(FD_GO) is the only call left that can sleep: the judge's
   clock rests on that.  No fork, no files, no clock, no executable memory, no MAP_FIXED. */
#ifndef FILTER_H
#define FILTER_H
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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
#define AND(k) BPF_STMT(BPF_ALU | BPF_AND | BPF_K, k)
#define RETURN(x) BPF_STMT(BPF_RET | BPF_K, x)
#define YES RETURN(SECCOMP_RET_ALLOW)
#define ERROR(e) RETURN(SECCOMP_RET_ERRNO | (e))
#define ALLOW(nr) JEQ(nr, 0, 1), YES
#define FAIL(nr, e) JEQ(nr, 0, 1), ERROR(e)
#define IGNORE(nr) FAIL(nr, 0)                                 /* done, as far as the answer can tell */

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
#endif
	ALLOW(SYS_exit_group), ALLOW(SYS_exit), ALLOW(SYS_getrandom), ALLOW(SYS_getpid), ALLOW(SYS_gettid), ALLOW(SYS_set_tid_address), ALLOW(SYS_set_robust_list),
	ALLOW(SYS_rseq), ALLOW(SYS_sysinfo),               /* qsort asks how much memory there is */
	/* constants of the process */
	JEQ(SYS_sched_getaffinity, 0, 5), LOW(0), JEQ(0, 1, 0), JEQ(OWN_PID, 0, 1), YES, ERROR(ESRCH),
	ALLOW(SYS_getuid), ALLOW(SYS_geteuid), ALLOW(SYS_getgid), ALLOW(SYS_getegid), ALLOW(SYS_getcpu), ALLOW(SYS_sched_get_priority_max), ALLOW(SYS_sched_get_priority_min),
	/* nobody waits, so there is nobody to be woken; a wait would be for ever.  glibc aborts where waking fails */
	JEQ(SYS_futex, 0, 11), LOW(1), AND(FUTEX_CMD_MASK), JEQ(FUTEX_WAKE, 6, 0), JEQ(FUTEX_WAKE_BITSET, 5, 0), JEQ(FUTEX_WAKE_OP, 4, 0), JEQ(FUTEX_CMP_REQUEUE, 3, 0),
		JEQ(FUTEX_WAIT, 3, 0), JEQ(FUTEX_WAIT_BITSET, 2, 0), ERROR(ENOSYS), ERROR(0), RETURN(SECCOMP_RET_TRAP),
	IGNORE(SYS_sched_yield), IGNORE(SYS_getppid), IGNORE(SYS_msync), IGNORE(SYS_sync),
	JEQ(SYS_prctl, 0, 6), LOW(0), JEQ(PR_SET_NAME, 2, 0), JEQ(PR_GET_NAME, 0, 2), YES, ERROR(0), RETURN(SECCOMP_RET_TRAP),
	/* what honest library code tries and can do without: memory and signals stay as they are ... */
	FAIL(SYS_mprotect, EPERM), FAIL(SYS_pkey_mprotect, EPERM), FAIL(SYS_mlock, EPERM), FAIL(SYS_mlock2, EPERM), FAIL(SYS_munlock, EPERM), FAIL(SYS_mlockall, EPERM), FAIL(SYS_munlockall, EPERM),
	FAIL(SYS_mincore, ENOSYS), FAIL(SYS_pkey_alloc, ENOSYS), FAIL(SYS_membarrier, ENOSYS), FAIL(SYS_mbind, EPERM), FAIL(SYS_set_mempolicy, EPERM), FAIL(SYS_get_mempolicy, EPERM),
	FAIL(SYS_rt_sigprocmask, EPERM), FAIL(SYS_rt_sigaction, EPERM), FAIL(SYS_rt_sigpending, EPERM), FAIL(SYS_sigaltstack, EPERM),
	/* ... and so does all that the system knows of the process */
	FAIL(SYS_sched_setaffinity, EPERM), FAIL(SYS_sched_setscheduler, EPERM), FAIL(SYS_sched_getscheduler, EPERM), FAIL(SYS_sched_setparam, EPERM), FAIL(SYS_sched_getparam, EPERM),
	FAIL(SYS_sched_rr_get_interval, EPERM), FAIL(SYS_setpriority, EPERM), FAIL(SYS_getpriority, EPERM), FAIL(SYS_setuid, EPERM), FAIL(SYS_setgid, EPERM), FAIL(SYS_setreuid, EPERM),
	FAIL(SYS_setregid, EPERM), FAIL(SYS_setresuid, EPERM), FAIL(SYS_setresgid, EPERM), FAIL(SYS_setgroups, EPERM), FAIL(SYS_getgroups, EPERM), FAIL(SYS_setpgid, EPERM), FAIL(SYS_setsid, EPERM),
	FAIL(SYS_getpgid, ESRCH), FAIL(SYS_getsid, ESRCH), FAIL(SYS_umask, EPERM), FAIL(SYS_setrlimit, EPERM), FAIL(SYS_getrlimit, EPERM), FAIL(SYS_sethostname, EPERM), FAIL(SYS_uname, ENOSYS),
	FAIL(SYS_wait4, ECHILD), FAIL(SYS_waitid, ECHILD), FAIL(SYS_clock_getres, EINVAL), FAIL(SYS_clock_settime, EPERM), FAIL(SYS_settimeofday, EPERM),
	/* there are no files ... */
	FAIL(SYS_openat, ENOENT), FAIL(SYS_readlinkat, ENOENT), FAIL(SYS_faccessat, ENOENT), FAIL(SYS_faccessat2, ENOENT), FAIL(SYS_statx, ENOENT), FAIL(SYS_statfs, ENOENT), FAIL(SYS_getcwd, ENOENT),
	FAIL(SYS_chdir, ENOENT), FAIL(SYS_truncate, ENOENT), FAIL(SYS_unlinkat, ENOENT), FAIL(SYS_renameat, ENOENT), FAIL(SYS_renameat2, ENOENT), FAIL(SYS_linkat, ENOENT), FAIL(SYS_symlinkat, EACCES),
	FAIL(SYS_mkdirat, EACCES), FAIL(SYS_mknodat, EACCES), FAIL(SYS_fchmodat, ENOENT), FAIL(SYS_fchownat, ENOENT), FAIL(SYS_utimensat, ENOENT), FAIL(SYS_mq_open, ENOENT), FAIL(SYS_mq_unlink, ENOENT),
	JEQ(SYS_newfstatat, 0, 4), LOW(3), JSET(AT_EMPTY_PATH, 1, 0), ERROR(ENOENT), ERROR(EBADF),
#ifdef __x86_64__
	FAIL(SYS_open, ENOENT), FAIL(SYS_creat, EACCES), FAIL(SYS_stat, ENOENT), FAIL(SYS_lstat, ENOENT), FAIL(SYS_access, ENOENT), FAIL(SYS_readlink, ENOENT), FAIL(SYS_unlink, ENOENT),
	FAIL(SYS_rename, ENOENT), FAIL(SYS_link, ENOENT), FAIL(SYS_symlink, EACCES), FAIL(SYS_mkdir, EACCES), FAIL(SYS_rmdir, ENOENT), FAIL(SYS_mknod, EACCES), FAIL(SYS_chmod, ENOENT),
	FAIL(SYS_chown, ENOENT), FAIL(SYS_lchown, ENOENT), FAIL(SYS_utime, ENOENT), FAIL(SYS_utimes, ENOENT), FAIL(SYS_futimesat, ENOENT),
	FAIL(SYS_dup2, EBADF), FAIL(SYS_pipe, EMFILE), FAIL(SYS_getpgrp, ESRCH),
#endif
	/* ... no descriptors ... */
	FAIL(SYS_close, EBADF), FAIL(SYS_fstat, EBADF), FAIL(SYS_lseek, ESPIPE), FAIL(SYS_ioctl, ENOTTY), FAIL(SYS_fcntl, EBADF), FAIL(SYS_dup, EBADF), FAIL(SYS_dup3, EBADF),
	FAIL(SYS_readv, EBADF), FAIL(SYS_writev, EBADF), FAIL(SYS_pread64, EBADF), FAIL(SYS_pwrite64, EBADF), FAIL(SYS_preadv, EBADF), FAIL(SYS_pwritev, EBADF), FAIL(SYS_preadv2, EBADF),
	FAIL(SYS_pwritev2, EBADF), FAIL(SYS_fsync, EBADF), FAIL(SYS_fdatasync, EBADF), FAIL(SYS_ftruncate, EBADF), FAIL(SYS_fallocate, EBADF), FAIL(SYS_fadvise64, EBADF), FAIL(SYS_flock, EBADF),
	FAIL(SYS_getdents64, EBADF), FAIL(SYS_fchmod, EBADF), FAIL(SYS_fchown, EBADF), FAIL(SYS_fchdir, EBADF), FAIL(SYS_fstatfs, EBADF), FAIL(SYS_mq_timedsend, EBADF), FAIL(SYS_mq_timedreceive, EBADF),
	FAIL(SYS_mq_notify, EBADF), FAIL(SYS_mq_getsetattr, EBADF), FAIL(SYS_pipe2, EMFILE),
	/* ... no network and nothing that is shared with another process */
	FAIL(SYS_socket, EACCES), FAIL(SYS_socketpair, EACCES), FAIL(SYS_connect, EBADF), FAIL(SYS_bind, EBADF), FAIL(SYS_listen, EBADF), FAIL(SYS_accept, EBADF), FAIL(SYS_accept4, EBADF),
	FAIL(SYS_sendto, EBADF), FAIL(SYS_sendmsg, EBADF), FAIL(SYS_recvfrom, EBADF), FAIL(SYS_recvmsg, EBADF), FAIL(SYS_getsockname, EBADF), FAIL(SYS_getpeername, EBADF),
	FAIL(SYS_getsockopt, EBADF), FAIL(SYS_setsockopt, EBADF), FAIL(SYS_shutdown, EBADF), FAIL(SYS_shmget, ENOSYS), FAIL(SYS_shmat, ENOSYS), FAIL(SYS_shmdt, ENOSYS), FAIL(SYS_shmctl, ENOSYS),
	FAIL(SYS_semget, ENOSYS), FAIL(SYS_semop, ENOSYS), FAIL(SYS_semtimedop, ENOSYS), FAIL(SYS_semctl, ENOSYS), FAIL(SYS_msgget, ENOSYS), FAIL(SYS_msgsnd, ENOSYS), FAIL(SYS_msgrcv, ENOSYS), FAIL(SYS_msgctl, ENOSYS),
	RETURN(SECCOMP_RET_TRAP),
};
_Static_assert(sizeof filter <= 4096, "own_the_filter() knows two pages");
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
