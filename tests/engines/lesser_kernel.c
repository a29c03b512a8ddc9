/* Run a command as if on a kernel that lacks some things.   usage: lesser_kernel [no-THING ...] -- COMMAND...

   Theory of operation.  A seccomp filter makes the calls fail as such a kernel would.  Files that such a kernel does not have are kept away by its
   notifications: every openat of the command waits for our word, and the path decides. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define NR BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ARG(i) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (i))
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define FAIL(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

static const char *const things[] = { "no-landlock", "no-seccomp", "no-filter-flags", "no-counter-switch",
	"no-cpu-clock", "no-clear-refs", "no-status", "no-namespaces" };
enum thing { LANDLOCK, SECCOMP, FILTER_FLAGS, COUNTER, CPU_CLOCK, CLEAR_REFS, STATUS, NAMESPACES, THINGS };
static bool lacks[THINGS];

static int add(struct sock_filter *f, int n, bool wanted, const struct sock_filter *rule, int size)
{
	if (!wanted) return n;
	memcpy(f + n, rule, size * sizeof *rule);
	return n + size;
}
#define RULE(thing, ...) \
	do { \
		const struct sock_filter r[] = { NR, __VA_ARGS__ }; \
		n = add(f, n, lacks[thing], r, sizeof r / sizeof *r); \
	} while (0)
static int install(void)
{
	struct sock_filter f[96];
	int n = 0;
	RULE(LANDLOCK, UNLESS(SYS_landlock_create_ruleset, 1), FAIL(ENOSYS));
	RULE(SECCOMP, UNLESS(SYS_seccomp, 1), FAIL(EINVAL));
	RULE(SECCOMP, UNLESS(SYS_prctl, 3), ARG(0), UNLESS(PR_SET_SECCOMP, 1), FAIL(EINVAL));
	RULE(NAMESPACES, UNLESS(SYS_unshare, 1), FAIL(EPERM));
	RULE(NAMESPACES, UNLESS(SYS_mount, 1), FAIL(EPERM));
	RULE(NAMESPACES, UNLESS(SYS_clone3, 1), FAIL(ENOSYS));
	RULE(NAMESPACES, UNLESS(SYS_clone, 3), ARG(0),
	    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER | CLONE_NEWNS, 0, 1), FAIL(EPERM));
	RULE(FILTER_FLAGS, UNLESS(SYS_seccomp, 3), ARG(1), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), FAIL(EINVAL));
	RULE(COUNTER, UNLESS(SYS_prctl, 3), ARG(0), UNLESS(PR_SET_TSC, 1), FAIL(EINVAL));
	RULE(COUNTER, UNLESS(SYS_prctl, 3), ARG(0), UNLESS(PR_SET_THP_DISABLE, 1), FAIL(EINVAL));
	RULE(CPU_CLOCK, UNLESS(SYS_clock_gettime, 3), ARG(0), BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x80000000u, 0, 1),
	    FAIL(EINVAL));
	const struct sock_filter last[] = { NR, UNLESS(SYS_openat, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	n = add(f, n, true, last, sizeof last / sizeof *last);
	struct sock_fprog p = { n, f };
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &p);
}
union space {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};
static void send_fd(int socket, int fd)
{
	char x = 0;
	union space u = { { 0 } };
	struct iovec v = { &x, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = u.bytes, .msg_controllen = sizeof u.bytes };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(c), &fd, sizeof fd);
	sendmsg(socket, &m, 0);
}
static int receive_fd(int socket)
{
	char x;
	int fd = -1;
	union space u;
	struct iovec v = { &x, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = u.bytes, .msg_controllen = sizeof u.bytes };
	if (recvmsg(socket, &m, 0) == 1 && CMSG_FIRSTHDR(&m)) memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
	return fd;
}
static bool ends_with(const char *s, const char *end)
{ return strlen(s) >= strlen(end) && !strcmp(s + strlen(s) - strlen(end), end); }
static bool is_kept_away(const struct seccomp_notif *asked)
{
	char path[64], name[300] = "";
	snprintf(path, sizeof path, "/proc/%u/mem", asked->pid);
	int f = open(path, O_RDONLY | O_CLOEXEC);
	if (f >= 0) {
		if (pread(f, name, sizeof name - 1, asked->data.args[1]) < 0) *name = 0;
		close(f);
	}
	return (lacks[CLEAR_REFS] && ends_with(name, "/clear_refs")) ||
	       (lacks[STATUS] && !strncmp(name, "/proc/", 6) && ends_with(name, "/status"));
}
static void answer_one(int listener)
{
	struct seccomp_notif asked = { 0 };
	struct seccomp_notif_resp answer = { 0 };
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked)) return;
	answer.id = asked.id;
	if (is_kept_away(&asked)) answer.error = -ENOENT;
	else answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}
int main(int argc, char **argv)
{
	int pair[2], status = 0, at = 1;
	for (; at < argc && strcmp(argv[at], "--"); at++) {
		int i = 0;
		while (i < THINGS && strcmp(argv[at], things[i])) i++;
		if (i == THINGS) return 95;
		lacks[i] = true;
	}
	if (++at >= argc || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) return 95;
	pid_t child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		int listener = install();
		if (listener < 0) return 96;
		send_fd(pair[1], listener);
		close(listener);
		execvp(argv[at], argv + at);
		return 97;
	}
	close(pair[1]);
	int listener = receive_fd(pair[0]);
	for (;;) {
		struct pollfd p = { listener, POLLIN, 0 };
		if (poll(&p, 1, 50) == 1 && p.revents & POLLIN) answer_one(listener);
		if (waitpid(child, &status, WNOHANG) == child) break;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
