/* Which defences hold here?   usage: selftest [--json]

   Theory of operation.  Each defence that the harness uses is tried, in a process of its own, and believed only when it has worked: a kernel may
   accept a call and do nothing (gVisor, emulators).  One line a defence, or with --json one object; the exit status is 0 whatever is missing, since
   grading goes on with what is left and the record says so. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { YES = 0, NO = 1, ROUNDS = 20, SCRATCH_KB = 8192 };

/* ---------- trying something in a process of its own ---------- */
static int status_of(int (*trial)(void))
{
	int status;
	pid_t child = fork();
	if (!child) _exit(trial());
	return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}
static bool works(int (*trial)(void))
{
	int status = status_of(trial);
	return WIFEXITED(status) && WEXITSTATUS(status) == YES;
}

/* ---------- Landlock ---------- */
static int landlock_abi(void) { return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION); }
static int forbid_files(void)
{
	struct landlock_ruleset_attr all = { .handled_access_fs = LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_READ_FILE };
	int rules = syscall(SYS_landlock_create_ruleset, &all, sizeof all.handled_access_fs, 0);
	if (rules < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_landlock_restrict_self, rules, 0)) return NO;
	return open("/", O_RDONLY | O_DIRECTORY) < 0 ? YES : NO;
}

/* ---------- seccomp ---------- */
static int refuse_a_call(void)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 77),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = { sizeof f / sizeof *f, f };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &p)) return NO;
	return syscall(SYS_getppid) == -1 ? YES : NO;
}
static int no_new_privileges(void) { return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? YES : NO; }

/* ---------- the machine's cycle counter ---------- */
static int read_counter(void)
{
#ifdef PR_SET_TSC
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
#endif
#if defined(__x86_64__)
	__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
#endif
	return NO;
}
static bool counter_is_off(void)
{
	int status = status_of(read_counter);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

/* ---------- huge pages, pinning ---------- */
static int huge_pages_off(void) { return !prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) && prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1 ? YES : NO; }
static int pin_to_one_core(void)
{
	cpu_set_t may, one;
	CPU_ZERO(&may);
	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof may, &may)) return NO;
	for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &may)) CPU_SET(i, &one);
	return !sched_setaffinity(0, sizeof one, &one) && !sched_getaffinity(0, sizeof may, &may) && CPU_COUNT(&may) == 1 ? YES : NO;
}

/* ---------- another process, as the judge sees it ---------- */
struct peer { pid_t pid; int go, done; };
static void one_turn(int turn)                       /* a little work; in the first turn also memory that is given back */
{
	if (turn == 0) {
		char *p = mmap(0, SCRATCH_KB << 10, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED) return;
		for (size_t i = 0; i < (size_t)SCRATCH_KB << 10; i += 1024) ((volatile char *)p)[i] = 1;
		munmap(p, SCRATCH_KB << 10);
	}
	for (volatile int i = 0; i < 100000 + 3001 * turn; i++)
		;
}
static bool start_peer(struct peer *p)
{
	int go[2], done[2];
	char x;
	if (pipe2(go, O_CLOEXEC) || pipe2(done, O_CLOEXEC)) return false;
	p->pid = fork();
	if (!p->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(go[1]);
		for (int turn = 0; read(go[0], &x, 1) == 1; turn++) {
			one_turn(turn);
			if (write(done[1], &x, 1) != 1) break;
		}
		_exit(0);
	}
	close(go[0]), close(done[1]);
	p->go = go[1];
	p->done = done[0];
	return p->pid > 0;
}
static void stop_peer(struct peer *p)
{
	kill(p->pid, SIGKILL);
	waitpid(p->pid, 0, 0);
	close(p->go), close(p->done);
}
static bool take_turn(struct peer *p)
{
	char x = 0;
	return write(p->go, &x, 1) == 1 && read(p->done, &x, 1) == 1;
}
static bool read_proc(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
	int f = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t k = f < 0 ? -1 : read(f, text, size - 1);
	if (f >= 0) close(f);
	text[k > 0 ? k : 0] = 0;
	return k > 0;
}
static bool is_seen_asleep(struct peer *p)           /* within a second */
{
	char text[500];
	for (int i = 0; i < 1000; i++) {
		char *q = read_proc(p->pid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
		if (q && q[2] == 'S') return true;
		usleep(1000);
	}
	return false;
}
static long peak_kb(struct peer *p)
{
	char text[8192], *q = read_proc(p->pid, "status", text, sizeof text) ? strstr(text, "VmHWM:") : NULL;
	return q ? atol(q + 6) : -1;
}
static bool peak_is_reset(struct peer *p)            /* after a turn with memory */
{
	char path[64];
	long before = peak_kb(p);
	snprintf(path, sizeof path, "/proc/%d/clear_refs", p->pid);
	int f = open(path, O_WRONLY | O_CLOEXEC);
	bool written = f >= 0 && write(f, "5", 1) == 1;
	if (f >= 0) close(f);
	return written && before > SCRATCH_KB && peak_kb(p) < before - SCRATCH_KB / 2;
}
/* Every turn must cost something, in steps finer than a scheduler's tick. */
static bool clock_is_precise(struct peer *p, long *cost_ns)
{
	clockid_t id = (clockid_t)(~(unsigned)p->pid << 3 | 2);
	struct timespec before, after;
	int fine = 0;
	for (int i = 0; i < ROUNDS; i++) {
		if (clock_gettime(id, &before) || !take_turn(p) || !is_seen_asleep(p) || clock_gettime(id, &after)) return false;
		*cost_ns = (after.tv_sec - before.tv_sec) * 1000000000l + after.tv_nsec - before.tv_nsec;
		if (*cost_ns <= 0) return false;
		fine += *cost_ns % 100000 != 0;
	}
	return fine > ROUNDS / 2;
}

/* ---------- what is around us ---------- */
static bool is_own_namespace(const char *name, unsigned initial)       /* the kernel gives the first one of each kind a fixed number */
{
	char path[64], link[64] = "";
	unsigned number = 0;
	snprintf(path, sizeof path, "/proc/self/ns/%s", name);
	return readlink(path, link, sizeof link - 1) > 0 && sscanf(strchr(link, '[') ? strchr(link, '[') : "", "[%u]", &number) == 1 && number != initial;
}
static bool has_no_network(void)
{
	char text[8192];
	int lines = 0;
	if (!read_proc(getpid(), "net/dev", text, sizeof text)) return false;
	for (char *q = text; (q = strchr(q, '\n')); q++) lines++;
	return lines <= 3 && strstr(text, " lo:");       /* two lines of head, and the loopback */
}

/* ---------- telling ---------- */
static bool json;
static void say(const char *name, bool active, const char *what_for)
{
	static int said;
	if (json) printf("%s\"%s\": %s", said++ ? ", " : "{", name, active ? "true" : "false");
	else printf("%-14s %-7s %s\n", name, active ? "active" : "absent", what_for);
}
int main(int argc, char **argv)
{
	char landlock[80], clock[100];
	struct peer peer;
	long cost_ns = 0;
	json = argc > 1 && !strcmp(argv[1], "--json");
	if (argc > 2 || (argc == 2 && !json)) {
		fprintf(stderr, "usage: selftest [--json]\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);          /* nothing half-written for a forked child to write again */
	int abi = landlock_abi();
	snprintf(landlock, sizeof landlock, "files beyond reach of compiler and answer (ABI %d)", abi > 0 ? abi : 0);
	say("landlock", works(forbid_files), landlock);
	say("seccomp", works(refuse_a_call), "an answer may ask for memory and for nothing else");
	say("no_new_privs", works(no_new_privileges), "no set-uid program gives rights back");
	bool started = start_peer(&peer), awake = started && take_turn(&peer);
	say("sleep_seen", awake && is_seen_asleep(&peer), "the end of a call is seen from outside");
	say("memory_reset", awake && peak_is_reset(&peer), "VmHWM counts from a moment of the judge's choice");
	bool precise = awake && clock_is_precise(&peer, &cost_ns);
	snprintf(clock, sizeof clock, "CPU time of another process, to the nanosecond (a short turn: %ld ns)", cost_ns);
	say("cpu_clock", precise, clock);
	if (started) stop_peer(&peer);
	say("one_core", works(pin_to_one_core), "judge and answer share a core");
	say("huge_pages_off", works(huge_pages_off), "memory is counted in base pages");
	say("counter_off", counter_is_off(), "an answer cannot read the cycle counter");
	say("pid_namespace", is_own_namespace("pid", 0xeffffffc), "no process outside is seen");
	say("user_namespace", is_own_namespace("user", 0xeffffffd), "no uid outside is reached");
	say("no_network", has_no_network(), "nothing but the loopback");
	if (json) printf("}\n");
	return 0;
}
