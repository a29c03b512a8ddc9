/* Run an untrusted build step (the compiler on the answer).  usage: jail WALL_S CPU_S AS_MB FSIZE_MB RWDIR [ro:PATH ...] [tell:FD] [open] -- COMMAND...

   Theory of operation.  The parent is a child subreaper and waits for the command until it ends, its whole tree has used CPU_S, or WALL_S is over
   (a fuse for a busy machine); then it kills every descendant there is, so nothing outlives a build.  The child gives up rights in this order: rlimits, no_new_privs, files, root drops to nobody,
   and a seccomp filter denies sockets, tracing, namespaces and scheduling changes; then it runs the command.  No privilege is needed for any of it.
   Files: Landlock leaves read and execute below the ro paths, everything below RWDIR, /dev/null, nothing else.  A kernel without it: own_root.h makes a root that holds just these.
   Where neither can be had the command is not run, except with `open` (an outer sandbox keeps files away, or the operator has accepted that nobody does).
   What is in force is written to FD as words: landlock or mount_namespace, seccomp.
   Exit status: the command's, 128 + signal, 124 on the wall limit, 123 on the CPU limit, 122 when it failed close to the memory limit; 110 fork failed, 111 usage, 112 exec failed,
   113 no seccomp, 114 could not drop root, 115 nothing keeps files away (the stub and the sandboxes use 90 to 99). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "own_root.h"

#if defined(__x86_64__)
#define AUDIT_ARCH_OWN AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define AUDIT_ARCH_OWN AUDIT_ARCH_AARCH64
#else
#error "architecture not supported"
#endif
enum { EXIT_MEMORY = 122, EXIT_CPU = 123, EXIT_WALL = 124, EXIT_FORK = 110, EXIT_USAGE = 111, EXIT_EXEC = 112, EXIT_SECCOMP = 113, EXIT_DROP = 114, EXIT_OPEN = 115, NOBODY = 65534 };
enum { A_WALL = 1, A_CPU, A_MEMORY, A_FILE, A_FOLDER, A_REST };

static void limit(int what, rlim_t v)
{
	struct rlimit r = { v, v };
	setrlimit(what, &r);
}
static bool allow(int rules, const char *path, uint64_t rights)
{
	struct landlock_path_beneath_attr b = { .allowed_access = rights, .parent_fd = open(path, O_PATH | O_CLOEXEC) };
	if (b.parent_fd < 0) return false;
	bool done = !syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &b, 0);
	if (!done) {                                     /* a plain file: without the rights that only folders have */
		b.allowed_access &= LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
		done = !syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &b, 0);
	}
	close(b.parent_fd);
	return done;
}
static bool restrict_files(int argc, char **argv)
{
	const uint64_t refer = 1ull << 13, truncate = 1ull << 14;                            /* Landlock ABI 2 and 3 */
	uint64_t read = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR, all = (1ull << 13) - 1;
	int abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	if (abi >= 3) all |= refer | truncate;
	struct landlock_ruleset_attr handled = { .handled_access_fs = all };
	int rules = abi > 0 ? syscall(SYS_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0) : -1;
	if (rules < 0) return false;
	for (int i = A_REST; i < argc && strcmp(argv[i], "--"); i++)
		if (!strncmp(argv[i], "ro:", 3)) allow(rules, argv[i] + 3, read);          /* what is not there is not needed */
	bool done = allow(rules, argv[A_FOLDER], all);
	allow(rules, "/dev/null", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE);
	return !syscall(SYS_landlock_restrict_self, rules, 0) && done;
}
static void drop_root(void)
{
	if (getuid()) return;
	limit(RLIMIT_NPROC, 256);
	if (setgid(NOBODY) || setuid(NOBODY)) _exit(EXIT_DROP);
}
static bool have_own_root(int argc, char **argv)
{
	bool done = enter_namespaces(drop_root) && begin_root(argv[A_FOLDER]);
	for (int i = A_REST; done && i < argc && strcmp(argv[i], "--"); i++)
		if (!strncmp(argv[i], "ro:", 3)) done = show(argv[i] + 3, false);
	done = done && show(argv[A_FOLDER], true) && show("/dev/null", true) && end_root();
	return !chdir(argv[A_FOLDER]) && done;
}
static bool restrict_calls(void)
{
	static const int denied[] = { SYS_socket, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup,
		SYS_unshare, SYS_setns, SYS_mount, SYS_keyctl, SYS_add_key, SYS_sched_setscheduler, SYS_sched_setattr, SYS_sched_setaffinity };
	enum { COUNT = sizeof denied / sizeof *denied };
	struct sock_filter f[5 + 2 * COUNT];
	int n = 0;
	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_OWN, 1, 0);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (int k = 0; k < COUNT; k++) {
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, denied[k], 0, 1);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	}
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog p = { n, f };
	if (!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &p)) return true;
	if (errno != EINVAL && errno != ENOSYS) _exit(EXIT_SECCOMP);
	return false;                                    /* a kernel without filters */
}
static void end_first_when_memory_is_short(void)
{
	int f = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (f >= 0 && write(f, "1000", 4) == 4) close(f);
}
/* The value of an option before the command: NULL where it is not given. */
static const char *option(int argc, char **argv, const char *name)
{
	size_t n = strlen(name);
	for (int i = A_REST; i < argc && strcmp(argv[i], "--"); i++)
		if (!strncmp(argv[i], name, n)) return argv[i] + n;
	return NULL;
}
static void tell(int argc, char **argv, const char *files, const char *calls)
{
	const char *fd = option(argc, argv, "tell:");
	if (fd) dprintf(atoi(fd), "%s %s\n", files, calls);
}
static void child(int argc, char **argv, int command)
{
	end_first_when_memory_is_short();
	limit(RLIMIT_CPU, atoi(argv[A_CPU]) + 1);          /* of each process; the parent keeps the tree's */
	limit(RLIMIT_FSIZE, (rlim_t)atoi(argv[A_FILE]) << 20);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, 64);
	limit(RLIMIT_MEMLOCK, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	const char *files = restrict_files(argc, argv) ? "landlock" : have_own_root(argc, argv) ? "mount_namespace" : "";
	if (!*files && !option(argc, argv, "open")) _exit(EXIT_OPEN);
	drop_root();
	tell(argc, argv, files, restrict_calls() ? "seccomp" : "");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	limit(RLIMIT_AS, (rlim_t)atoi(argv[A_MEMORY]) << 20);      /* last: it is the command's, and a sanitizer around us has mapped more already */
	execvp(argv[command], argv + command);
	_exit(EXIT_EXEC);
}
static void kill_descendants(void)            /* we are a subreaper: every orphan becomes our child */
{
	for (int round = 0; round < 50; round++) {
		char path[64], list[4096];
		bool any = false;
		sprintf(path, "/proc/self/task/%d/children", getpid());
		int f = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t k = f < 0 ? 0 : read(f, list, sizeof list - 1);
		if (f >= 0) close(f);
		if (k <= 0) break;
		list[k] = 0;
		for (char *q = strtok(list, " "); q; q = strtok(0, " ")) {
			kill(atoi(q), SIGKILL);
			any = true;
		}
		while (waitpid(-1, 0, WNOHANG) > 0)
			;
		if (!any) break;
		usleep(2000);
	}
}
/* CPU seconds of all living descendants and of what they have waited for. */
static double living_cpu_s(void)
{
	int waiting[256] = { getpid() }, count = 1;
	unsigned long ticks = 0;
	while (count > 0) {
		char path[64], text[2048];
		int pid = waiting[--count], f;
		snprintf(path, sizeof path, "/proc/%d/stat", pid);
		ssize_t k = (f = open(path, O_RDONLY | O_CLOEXEC)) < 0 ? 0 : read(f, text, sizeof text - 1);
		if (f >= 0) close(f);
		text[k > 0 ? k : 0] = 0;
		char *q = strrchr(text, ')');
		unsigned long own[4] = { 0 };
		if (q && pid != getpid() && sscanf(q + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", own, own + 1, own + 2, own + 3) == 4) ticks += own[0] + own[1] + own[2] + own[3];
		snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
		k = (f = open(path, O_RDONLY | O_CLOEXEC)) < 0 ? 0 : read(f, text, sizeof text - 1);
		if (f >= 0) close(f);
		text[k > 0 ? k : 0] = 0;
		for (q = strtok(text, " "); q && count < 256; q = strtok(0, " ")) waiting[count++] = atoi(q);
	}
	return ticks / (double)sysconf(_SC_CLK_TCK);
}
static double seconds(struct timeval t) { return t.tv_sec + t.tv_usec / 1e6; }
/* A command that failed at one of our limits, by measurement: what it prints is not asked. */
static int reached(int result, double cpu_s, double memory_mb)
{
	struct rusage used;
	getrusage(RUSAGE_CHILDREN, &used);                   /* all descendants: gcc has waited for its own, we for the rest */
	if (seconds(used.ru_utime) + seconds(used.ru_stime) >= cpu_s) return EXIT_CPU;
	return used.ru_maxrss / 1024. >= 0.8 * memory_mb ? EXIT_MEMORY : result;       /* the largest of them; resident is a little less than mapped, which is limited */
}
int main(int argc, char **argv)
{
	int command = A_REST, status = 0, result = -1;
	while (command < argc && strcmp(argv[command], "--")) command++;
	if (++command >= argc) return EXIT_USAGE;
	if (option(argc, argv, "tell:")) fcntl(atoi(option(argc, argv, "tell:")), F_SETFD, FD_CLOEXEC);
	struct timespec began, now;
	clock_gettime(CLOCK_MONOTONIC, &began);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pid_t c = fork();
	if (c < 0) return EXIT_FORK;
	if (!c) {
		setsid();
		child(argc, argv, command);
	}
	for (;;) {
		if (waitpid(c, &status, WNOHANG) == c) {
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			break;
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec - began.tv_sec >= atoi(argv[A_WALL])) {
			kill(-c, SIGKILL);
			result = EXIT_WALL;
			break;
		}
		if (now.tv_sec - began.tv_sec >= atoi(argv[A_CPU]) && living_cpu_s() >= atoi(argv[A_CPU])) {      /* no sooner: one core gives a second of CPU in a second */
			kill(-c, SIGKILL);
			result = EXIT_CPU;
			break;
		}
		usleep(1000);
	}
	kill_descendants();
	remove_root(argv[A_FOLDER]);
	return result && result != EXIT_WALL ? reached(result, atoi(argv[A_CPU]), atoi(argv[A_MEMORY])) : result;
}
