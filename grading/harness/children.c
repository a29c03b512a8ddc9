/* The three child processes: starting them, calling them, their CPU clocks and their memory.

   Time: the only call of a child that can sleep is read(FD_GO), so once /proc/PID/stat says "asleep" the call is over, and the growth of the
   process's CPU clock is its cost; what the child claims is never used.  Where that clock is missing or coarse (gVisor), wall time until the judge
   sees the child asleep stands for it, and the record says so.  Memory: the base is taken while the child stands in early(), before any
   answer code; the judge's pages can never leave the process, so VmHWM minus that base, minus what the empty child grew by, plus what
   the answer's program maps read-only, is what the answer used. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "judge.h"
#include "machine.h"
#include "refusals.h"

#define QEMU "/usr/bin/qemu-aarch64"

enum { COUNTER_SLACK_KB = 512, EXIT_NOT_STARTED = 99 };
struct child child[CHILDREN] = { { .name = "answer" }, { .name = "reference" }, { .name = "empty call" } };
static struct buffers control[CHILDREN];
static double ended_cpu_ns;                      /* of children already stopped */
static long oom_before = -1;                     /* processes killed for want of memory when the first child was started */

/* ---------- the child's side, between fork and exec ---------- */
static bool restrict_files(int program)
{
	struct landlock_ruleset_attr all = { .handled_access_fs = (1ull << 13) - 1 };
	int rules = syscall(SYS_landlock_create_ruleset, &all, sizeof all.handled_access_fs, 0);
	if (rules < 0) return false;
	const char *emulators[] = { "/usr", "/lib", "/lib64", "/etc/ld.so.cache" };
	struct landlock_path_beneath_attr own = { .allowed_access = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE, .parent_fd = program };
	if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &own, 0)) return false;
	for (size_t i = 0; opt.emulate && i < sizeof emulators / sizeof *emulators; i++) {
		own.parent_fd = open(emulators[i], O_PATH | O_CLOEXEC);
		syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &own, 0);      /* what is not there is not needed */
	}
	return !syscall(SYS_landlock_restrict_self, rules, 0);
}
static void limit(int what, rlim_t v)
{
	struct rlimit r = { v, v };
	setrlimit(what, &r);
}
static void end_first_when_memory_is_short(void)     /* the answer, not the judge whose mappings are larger */
{
	int f = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (f >= 0 && write(f, "1000", 4) == 4) close(f);
}
/* glibc before 2.38 keeps up to seven freed blocks of aligned_alloc of each size, however large, while its per-thread cache fills: honest scratch that
   is freed in every call would count eight times */
#if __GLIBC_PREREQ(2, 38)
#define TUNABLES
#else
#define TUNABLES "GLIBC_TUNABLES=glibc.malloc.tcache_count=0",
#endif
static noreturn void become(const char *name, const char *path, const int *fds, int count)
{
	int high[2 + MAPPINGS], program = fcntl(open(path, O_PATH | O_CLOEXEC), F_DUPFD_CLOEXEC, 60);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);           /* inherited across exec: memory is counted in base pages */
	for (int i = 0; i < count; i++) high[i] = fcntl(fds[i], F_DUPFD, 80);
	for (int i = 0; i < count; i++) dup2(high[i], FD_GO + i);
	for (int i = 0; i < 3; i++) dup2(open("/dev/null", O_RDWR | O_CLOEXEC), i);
	for (int i = FD_GO + count; i < 256; i++)
		if (i != program) close(i);
	end_first_when_memory_is_short();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	/* also keeps an emulated answer, which has no filter, from other processes' memory; a kernel without it: the stub's filter still holds */
	if (!restrict_files(program) && record.landlock) _exit(EXIT_NOT_STARTED);
	/* fails where only one uid is mapped; then the caller has dropped already */
	if (!getuid() && setgid(65534) == 0 && setuid(65534) == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_MEMLOCK, 0);
	limit(RLIMIT_NPROC, opt.emulate ? 64 : 0);
	limit(RLIMIT_NOFILE, opt.emulate ? 64 : 16);
	limit(RLIMIT_STACK, 8 << 20);
	char *argv[] = { (char *)name, 0 }, *env[] = { TUNABLES 0 };
	if (opt.emulate) execl(QEMU, "qemu-aarch64", path, (char *)0);
	else syscall(SYS_execveat, program, "", argv, env, AT_EMPTY_PATH);
	_exit(errno == ENOEXEC || errno == EINVAL ? EXIT_NO_PROGRAM : EXIT_NOT_STARTED);
}

/* ---------- /proc and clocks ---------- */
double cpu_ns(const struct child *h)
{
	struct timespec t = { 0 };
	if (!record.cpu_clock) return h->spent_ns + (h->called_ns > 0 ? wall_ns() - h->called_ns : 0);
	if (h->pid > 0) clock_gettime(h->clock, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}
/* A clock that counts scheduler ticks (gVisor) gives whole milliseconds; a child's start takes a fraction of one. */
static bool clock_is_precise(void)
{
	for (int i = 0; i < CHILDREN; i++)
		if (fmod(cpu_ns(&child[i]), 1e6) > 0) return true;
	return false;
}
static void end_of_call(struct child *h, double looked_ns)
{
	h->spent_ns += wall_ns() - h->called_ns - looked_ns;
	h->called_ns = 0;
}
double run_cpu_ns(void)
{
	double sum = own_cpu_ns() + ended_cpu_ns;
	for (int i = 0; i < CHILDREN; i++) sum += cpu_ns(&child[i]);
	return sum;
}
bool budget_over(void) { return run_cpu_ns() > opt.total_s * 1e9; }
static int state(const struct child *h)
{
	char b[400];
	ssize_t k = pread(h->stat, b, sizeof b - 1, 0);
	if (k <= 0) return 'X';
	b[k] = 0;
	char *q = strrchr(b, ')');
	return q ? q[2] : 'X';
}
static bool gone(int st) { return st == 'Z' || st == 'X'; }
/* Minor faults so far, exact: each is a page that the process did not have in reach; -1: the system does not count them. */
long faults_of(int who)
{
	char b[400];
	long faults = -1;
	ssize_t k = pread(child[who].stat, b, sizeof b - 1, 0);
	b[k > 0 ? k : 0] = 0;
	char *q = strrchr(b, ')');
	return q && sscanf(q + 1, " %*c %*d %*d %*d %*d %*d %*u %ld", &faults) == 1 ? faults : -1;
}
long status_kb(const struct child *h, const char *key)
{
	char p[64], b[4096];
	snprintf(p, sizeof p, "/proc/%d/status", h->pid);
	int f = open(p, O_RDONLY | O_CLOEXEC);
	ssize_t k = f < 0 ? -1 : read(f, b, sizeof b - 1);
	if (f >= 0) close(f);
	if (k <= 0) return -1;
	b[k] = 0;
	char *q = strstr(b, key);
	return q ? atol(q + strlen(key) + 1) : -1;
}
/* The kernel's word, not the child's: a container has given it filters before (counted since Linux 5.9). */
static bool has_filter_since(const struct child *h, long filters)
{
	return filters < 0 ? status_kb(h, "Seccomp:") == SECCOMP_MODE_FILTER : status_kb(h, "Seccomp_filters:") > filters;
}
static bool reset_peak(const struct child *h)        /* VmHWM restarts from what is resident now */
{
	char p[64];
	snprintf(p, sizeof p, "/proc/%d/clear_refs", h->pid);
	int f = open(p, O_WRONLY | O_CLOEXEC);
	bool ok = f >= 0 && write(f, "5", 1) == 1;
	if (f >= 0) close(f);
	return ok;
}
/* May be called at any time after start-up; peaks only grow, and the largest of all processes counts. */
void measure_memory(void)
{
	const struct child *answer = &child[ANSWER], *empty = &child[EMPTY];
	long peak = status_kb(answer, "VmHWM:"), grown = status_kb(empty, "VmHWM:") - empty->base_kb;
	if (peak < 0 || opt.emulate) return;
	long extra = peak - answer->base_kb - grown;
	if (extra < 0) extra = 0;
	extra += opt.ro_kb;
	/* kernels count resident pages per CPU and report them a little late; an answer that takes so much that the system swaps is over its limit anyway */
	bool left = status_kb(answer, "RssShmem:") < answer->shared_kb - COUNTER_SLACK_KB;
	if (left && extra <= opt.mem_kb) verdict("internal_error", "the judge's pages left the answer's process (swap?): its memory cannot be told");
	if (extra / 1024. > record.extra_mb) record.extra_mb = extra / 1024.;
	if (peak / 1024. > record.peak_mb) record.peak_mb = peak / 1024.;
}

/* ---------- waiting ---------- */
/* Calls of the batch that have not begun: bytes that lie in the pipe.  The kernel's word, though an answer may read some itself. */
static size_t calls_left(const struct child *h)
{
	int left = 0;
	return h->go > 0 && !ioctl(h->go, FIONREAD, &left) && left > 0 ? (size_t)left : 0;
}
/* the call that is running, or was last */
static size_t current_call(const struct child *h)
{
	size_t left = calls_left(h);
	return h->given > left ? h->given - left - 1 : 0;
}
static const char *at_call(const struct child *h, const char *phase) { return h->given ? call_name(current_call(h), phase) : phase; }
static noreturn void call_over_time(const struct child *h, const char *phase)
{
	if (h != &child[ANSWER]) {
		errno = ETIME;
		fault(h->name);
	}
	phase = at_call(h, phase);
	measure_memory();
	verdict("time_limit", "one call took more than the limit of %ld s of CPU (%s)", opt.call_s, phase);
}
/* What is batched has taken a millisecond at once before. */
static noreturn void batch_over_time(const struct child *h, const char *phase)
{
	measure_memory();
	verdict("time_limit", "a batch of %zu calls, the first of which were short, took more than the limit of %ld s of CPU for one (%s)", h->given, opt.call_s, phase);
}
/* the answer's fault whoever runs just now: references are quick */
static noreturn void budget_over_time(const struct child *h, const char *phase)
{
	phase = at_call(h, phase);
	measure_memory();
	verdict("time_limit", "the whole run's budget of %ld s of CPU was over before 3 rounds were counted (%s)", opt.total_s, phase);
}
static noreturn void broke_protocol(struct child *h, const char *phase)
{
	verdict(h == &child[ANSWER] ? "runtime_error" : "internal_error", "the %s's process did not keep to the harness's protocol (%s)", h->name, at_call(h, phase));
}
/* What a process brings upon itself behind the filter; every other signal was sent by the system or by somebody else. */
static bool is_own_doing(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE || signal == SIGTRAP || signal == SIGABRT || signal == SIGSYS;
}
/* The answer's process was killed from outside: ours, unless it had taken more memory than it may, by which an answer could bring it about. */
static void look_who_killed(const struct child *h, int signal, long peak_kb, const char *phase)
{
	bool out_of_memory = oom_kills() != oom_before, unfiltered = opt.emulate || (h->seq >= SEQ_READY && !record.seccomp);
	double extra_mb = (peak_kb - h->base_kb) / 1024.;
	if (is_own_doing(signal)) return;
	if (h->seq >= SEQ_MAPPED && h->base_kb > 0 && !opt.emulate && extra_mb * 1024 > opt.mem_kb)
		verdict("runtime_error", "killed by SIG%s after it had taken %.0f MiB more than at its start; the limit is %.2f MiB (%s)", sigabbrev_np(signal), extra_mb, opt.mem_kb / 1024., phase);
	if (out_of_memory) verdict("internal_error", "the machine ran out of memory and killed the answer's process (%s)", phase);
	if (!unfiltered && h->seq >= SEQ_MAPPED) verdict("internal_error", "the answer's process was killed from outside by SIG%s (%s)", sigabbrev_np(signal) ? sigabbrev_np(signal) : "?", phase);
}
/* the child is gone: say why */
static noreturn void died(struct child *h, const char *phase)
{
	int s;
	siginfo_t si;
	uint32_t refused = h->control->refused;
	enum placement placement = h->given ? placement_of[current_call(h)] : BENCHMARK;
	phase = at_call(h, phase);
	if (h == &child[ANSWER]) measure_memory();
	if (waitid(P_PID, h->pid, &si, WEXITED | WNOWAIT)) fault("wait");
	ended_cpu_ns += cpu_ns(h);
	struct rusage used;
	if (wait4(h->pid, &s, 0, &used) != h->pid) fault("wait");
	h->pid = 0;
	if (h == &child[ANSWER] && WIFSIGNALED(s)) look_who_killed(h, WTERMSIG(s), used.ru_maxrss, phase);
	bool began = h->seq >= SEQ_MAPPED, not_a_program = WIFSIGNALED(s) || WEXITSTATUS(s) == EXIT_NO_PROGRAM || opt.emulate;
	if (h != &child[ANSWER] || (!began && !not_a_program)) verdict("internal_error", "the %s's process ended on its own, status %#x (%s)", h->name, s, phase);
	if (!began) verdict("runtime_error", "the system cannot start its program, status %#x: it has too many sections, or too large ones", s);      /* it started the other two */
	if (refused || (WIFSIGNALED(s) && WTERMSIG(s) == SIGSYS)) {
		long nr = (long)refused - 1;
		const struct refusal *r = refusal_of(nr);
		if (!refused) verdict("runtime_error", "killed by SIGSYS: a system call of another architecture (%s)", phase);
		if (r) verdict(starts_something(r) ? "extra_thread" : "runtime_error", "%s (%s), which an answer may not do (%s)", r->what, r->name, phase);
		verdict("runtime_error", "killed by SIGSYS: refused system call %ld (%s); answers compute, they do not ask the system for anything but memory", nr, phase);
	}
	if ((placement == FLUSH_START || placement == FLUSH_END) && WIFSIGNALED(s) && (WTERMSIG(s) == SIGSEGV || WTERMSIG(s) == SIGBUS)) {
		/* the same case did not end away from the guards: an access outside the data, as a spoiled canary is */
		record.correct = 0;
		verdict("wrong_answer", "reads or writes outside its data: killed by SIG%s (%s)", sigabbrev_np(WTERMSIG(s)), phase);
	}
	if (WIFSIGNALED(s)) verdict("runtime_error", "killed by SIG%s (%s)", sigabbrev_np(WTERMSIG(s)) ? sigabbrev_np(WTERMSIG(s)) : "?", phase);
	verdict("runtime_error", "exited with status %d instead of returning (%s)", WEXITSTATUS(s), phase);
}
static void check_limits(struct child *h, double cpu0, double wall0, double limit_ns, const char *phase)
{
	size_t left = calls_left(h);
	if (left != h->left) h->left = left, h->begun_ns = cpu_ns(h);
	if (cpu_ns(h) - fmax(cpu0, h->begun_ns) > limit_ns) call_over_time(h, phase);
	if (h == &child[ANSWER] && h->given > 1 && record.rounds >= 3 && cpu_ns(h) - cpu0 > limit_ns) batch_over_time(h, phase);
	if (budget_over() && record.rounds < 3) budget_over_time(h, phase);
	if (wall_ns() - wall0 > 5 * limit_ns + 10e9) verdict("internal_error", "the %s's process gets no CPU on this busy machine (%s)", h->name, at_call(h, phase));
}
/* The stub's filter leaves read(FD_GO) as the only call that can sleep. */
static void wait_asleep(struct child *h, double cpu0, double wall0, double limit_ns, const char *phase)
{
	int st;
	while ((st = state(h)) != 'S') {
		if (gone(st)) died(h, phase);
		check_limits(h, cpu0, wall0, limit_ns, phase);
		usleep(50);          /* same core: let it run until it sleeps; waking more often (or sched_yield) disturbs what is measured */
	}
}
/* Wait for the child's byte, then until it sleeps; the time of the claim, which only serves to see disturbed rounds. */
static double wait_done(struct child *h, uint32_t seq, double cpu0, double limit_ns, const char *phase)
{
	struct pollfd done = { h->done, POLLIN, 0 };
	double wall0 = wall_ns(), claimed;
	char eat[8];
	for (int ready; (ready = poll(&done, 1, 500)) <= 0;) {
		if (ready < 0 && errno != EINTR) fault("poll");
		check_limits(h, cpu0, wall0, limit_ns, phase);
		if (h->seq >= SEQ_MAPPED && state(h) == 'S' && poll(&done, 1, 0) == 0) broke_protocol(h, phase);      /* it tells before it sleeps */
	}
	claimed = wall_ns();
	wait_asleep(h, cpu0, wall0, limit_ns, phase);
	if (read(h->done, eat, sizeof eat) != 1 || h->control->done != seq) {
		if (gone(state(h))) died(h, phase);
		broke_protocol(h, phase);
	}
	return claimed;
}

/* ---------- starting and stopping ---------- */
static size_t control_bytes(void)
{
	size_t calls = opt.batch > 0 ? (size_t)opt.batch : batch_that_fits();
	if (calls < TEST_CALLS) calls = TEST_CALLS;
	return (sizeof(struct control) + calls * sizeof(struct one_call) + PAGE - 1) & ~(PAGE - 1);
}
static void spawn(int who, const char *program)
{
	struct child *h = &child[who];
	int go[2], done[2];
	char path[64];
	if (pipe2(go, O_CLOEXEC) || pipe2(done, O_CLOEXEC | O_NONBLOCK)) fault("pipe");
	if (!control[who].p) {
		control[who].size = control_bytes();
		control[who].fd = memfd_create("control", MFD_CLOEXEC);
		if (control[who].fd < 0 || ftruncate(control[who].fd, control[who].size)) fault("memfd");
		control[who].p = mmap(0, control[who].size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, control[who].fd, 0);
		if (control[who].p == MAP_FAILED) fault("mmap");
	}
	memset(control[who].p, 0, control[who].size);
	h->control = (struct control *)control[who].p;
	uint64_t size[MAPPINGS] = { control[who].size, input[0].size, input[1].size, output[who].size };
	memcpy(h->control->size, size, sizeof size);
	h->control->writable_output = kernel.out_align > 0;
	h->control->needs_filter = !opt.unwalled && !record.landlock;
	int fds[2 + MAPPINGS] = { go[0], done[1], control[who].fd, read_only(input[0].fd), read_only(input[1].fd), output[who].fd };
	h->seq = 0;
	h->spent_ns = 0;
	h->given = h->left = 0;
	h->begun_ns = 0;
	h->called_ns = wall_ns();
	h->pid = fork();
	if (h->pid < 0) fault("fork");
	if (h->pid == 0) become(h->name, program, fds, 2 + MAPPINGS);
	close(go[0]), close(done[1]), close(fds[3]), close(fds[4]);
	h->go = go[1];
	h->done = done[0];
	snprintf(path, sizeof path, "/proc/%d/stat", h->pid);
	h->stat = open(path, O_RDONLY | O_CLOEXEC);
	if (h->stat < 0) fault(path);
	h->clock = (clockid_t)(~(unsigned)h->pid << 3 | 2);        /* CPUCLOCK_SCHED of that process */
}
/* Before anything of the answer runs.  The stub does not go on without the filter where it is the only one. */
static void look_for_walls(void)
{
	uint32_t trap = SECCOMP_RET_TRAP;
	record.unwalled = !opt.unwalled && !record.landlock && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &trap);
	if (record.unwalled) verdict("internal_error", "nothing would keep the machine's files from the answer: this kernel has neither Landlock nor seccomp filters");
}
enum { START_S = 20 };
/* In early(): nothing of the answer has run. */
static void take_base(struct child *h)
{
	wait_done(h, SEQ_MAPPED, 0, START_S * 1e9, "before start-up");
	h->seq = SEQ_MAPPED;
	record.memory_reset &= reset_peak(h);
	if (h == &child[ANSWER]) record.hidden_clocks = !opt.emulate && h->control->clocks_hidden;
	h->base_kb = status_kb(h, "VmHWM:");
	h->shared_kb = status_kb(h, "RssShmem:");
	h->mapped = usage_of(h - child);
	h->mapped_ns = cpu_ns(h);
	h->control->address_space = status_kb(h, "VmSize:") < 0 ? RLIM_INFINITY : (rlim_t)(status_kb(h, "VmSize:") + (1l << 20)) * 1024;     /* start + 1 GiB: so that scratch is measured, not refused */
}
static void make_ready(struct child *h)
{
	if (write(h->go, "g", 1) != 1) fault("go");
	wait_done(h, SEQ_READY, 0, START_S * 1e9, "at start-up, before the first call");
	h->seq = SEQ_READY;
	h->start_ns = cpu_ns(h) - h->mapped_ns;
	h->ready = usage_of(h - child);
}
void start_children(char *const *programs)
{
	long filters = -1;
	if (oom_before < 0) oom_before = oom_kills();
	record.landlock = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
	look_for_walls();
	for (int i = 0; i < CHILDREN; i++) spawn(i, programs[i]);
	record.memory_reset = !opt.emulate;
	for (int i = CHILDREN - 1; i >= 0; i--) {        /* the answer comes last in both loops */
		take_base(&child[i]);
		if (i == ANSWER) filters = status_kb(&child[i], "Seccomp_filters:");
	}
	for (int i = CHILDREN - 1; i >= 0; i--) make_ready(&child[i]);       /* once the other two are ready, what ends in the answer is its own doing */
	record.seccomp = !opt.emulate && has_filter_since(&child[ANSWER], filters);
	record.cpu_clock = record.cpu_clock && clock_is_precise();
	for (int i = 0; i < CHILDREN; i++) end_of_call(&child[i], 0);
}
static void stop_child(struct child *h)
{
	if (h->pid <= 0) return;
	ended_cpu_ns += cpu_ns(h);
	kill(h->pid, SIGKILL);
	waitpid(h->pid, 0, 0);
	h->pid = 0;
	close(h->go), close(h->done), close(h->stat);
}
void stop_children(void)
{
	for (int i = 0; i < CHILDREN; i++) stop_child(&child[i]);
}
void restart_answer(char *const *programs)
{
	struct child *h = &child[ANSWER];
	stop_child(h);
	spawn(ANSWER, programs[ANSWER]);
	take_base(h);
	make_ready(h);
	end_of_call(h, 0);
}

/* ---------- one batch ---------- */
static void give_go(struct child *h, size_t calls, const char *phase)
{
	static const char bytes[BATCH_MAX] = { 0 };
	h->given += calls;
	if (write(h->go, bytes, calls) == (ssize_t)calls) return;
	usleep(1000);
	died(h, phase);
}
/* Run the batch that lies ready in the buffers.  pause_after 1 .. batch - 1: stop once after that many calls, which the child cannot foresee, and
   let at_pause look at what is there; 0: no stop. */
struct timing call_child(int who, size_t batch, size_t pause_after, void (*at_pause)(void *), void *context, const char *phase)
{
	struct child *h = &child[who];
	struct control *c = h->control;
	c->batch = batch;
	h->given = 0;
	for (size_t j = 0; j < batch; j++) {
		memcpy(c->call[j].offset, place_of[j], sizeof place_of[j]);
		memcpy(c->call[j].arg, cases[j].arg, sizeof cases[j].arg);
		c->call[j].ret.u64 = 0x7ff8dead7ff8dead;
	}
	double limit_ns = opt.call_s * 1e9, cpu0 = cpu_ns(h), wall0 = wall_ns(), looked = 0;
	h->called_ns = wall0;
	if (pause_after > 0 && pause_after < batch) {
		give_go(h, pause_after, phase);
		wait_asleep(h, cpu0, wall0, limit_ns, phase);
		double began = wall_ns();
		at_pause(context);
		looked = wall_ns() - began;
		give_go(h, batch - pause_after, phase);
	} else {
		give_go(h, batch, phase);
	}
	double claimed = wait_done(h, ++h->seq, cpu0, limit_ns, phase);
	end_of_call(h, looked);
	double spent = cpu_ns(h) - cpu0;
	return (struct timing){ spent, record.cpu_clock ? claimed - wall0 - looked : spent };      /* without the clock there is nothing to compare with */
}
