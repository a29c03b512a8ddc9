/* The driver: grade one answer with one command.   usage: grade WORK KERNEL [key=value ...]

   Theory of operation.  WORK/answer.c is compiled alone in the jail, its object is inspected, every global symbol but the entry is made local, it
   is linked statically with the stub, and the judge runs it.  All untrusted input meets a tool only inside the jail.  Prints exactly one JSON object,
   exit status 0; anything else is a fault of ours.  Needs gcc, binutils and a shell beside the folder that build.sh made, nothing more, so that the
   same command works in a container or a remote sandbox in a single round trip. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inspect.h"
#include "json.h"

enum { LOG_MAX = 16000, ARGS_MAX = 96, PATH_BYTES = 4096, WALL_S = 120, CPU_S = 15, MEMORY_MB = 2000, FILE_MB = 32, LINK_FILE_MB = 256, EXIT_WALL = 124 };
static char home[PATH_BYTES], work[PATH_BYTES], compile_log[LOG_MAX + 1];
static size_t compile_log_bytes;
static long compile_us, inspect_us, link_us;

static long now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000l + t.tv_nsec / 1000;
}
static const char *path_of(const char *folder, const char *name)
{
	static char ring[16][PATH_BYTES];
	static int next;
	char *p = ring[next++ % 16];
	if ((size_t)snprintf(p, PATH_BYTES, "%s/%s", folder, name) >= PATH_BYTES) {
		fprintf(stderr, "grade: path too long\n");
		exit(2);
	}
	return p;
}
static void print_log(void)
{
	printf("\"log\": {\"compile\": ");
	json_string(stdout, compile_log, compile_log_bytes);
	printf(", \"run\": \"\"}");
}
static noreturn void end(const char *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));
static noreturn void end(const char *verdict, const char *format, ...)
{
	char detail[512];
	va_list ap;
	va_start(ap, format);
	vsnprintf(detail, sizeof detail, format, ap);
	va_end(ap);
	bool ours = !strcmp(verdict, "internal_error");
	printf("{\"verdict\": \"%s\", \"detail\": ", verdict);
	json_string(stdout, detail, strlen(detail));
	printf(", \"compiled\": %s, \"correct\": null, \"extra_mb\": null, \"peak_mb\": null, \"units\": null, \"samples\": null, \"rounds\": 0, \"dirty\": 0, \"early\": 0, \"tests\": 0, ", ours ? "null" : !strcmp(verdict, "extra_thread") ? "true" : "false");
	print_log();
	printf(", \"seconds\": {\"compile\": %.4f, \"inspect\": %.4f, \"link\": %.4f, \"start\": 0, \"tests\": 0, \"benchmark\": 0}, \"defences\": {}}\n", compile_us / 1e6, inspect_us / 1e6, link_us / 1e6);
	fflush(stdout);
	_exit(0);
}

struct command { const char *argv[ARGS_MAX]; int n; };
static void add(struct command *c, const char *arg)
{
	if (c->n == ARGS_MAX - 1) end("internal_error", "too many arguments for a build step");
	c->argv[c->n++] = arg;
}
/* Words of a file that build.sh wrote (the compiler's flags). */
static void add_words(struct command *c, const char *file)
{
	static char text[2][2000];
	static int next;
	char *t = text[next++ % 2];
	FILE *f = fopen(path_of(home, file), "r");
	if (!f) end("internal_error", "%s is missing from the harness: build it again", file);
	t[fread(t, 1, sizeof text[0] - 1, f)] = 0;
	fclose(f);
	for (char *w = strtok(t, " \n"); w; w = strtok(0, " \n")) add(c, w);
}
static void add_jail(struct command *c, int file_mb)
{
	static char number[4][16];
	int values[4] = { WALL_S, CPU_S, MEMORY_MB, file_mb };
	add(c, path_of(home, "jail"));
	for (int i = 0; i < 4; i++) {
		snprintf(number[i], sizeof number[i], "%d", values[i]);
		add(c, number[i]);
	}
	add(c, work);
	const char *readable[] = { "ro:/usr", "ro:/lib", "ro:/lib64", "ro:/bin", "ro:/etc/ld.so.cache", "ro:/etc/alternatives" };
	for (size_t i = 0; i < sizeof readable / sizeof *readable; i++) add(c, readable[i]);
}
/* Exit status of the command, its output added to the compile log (the first LOG_MAX bytes of it). */
static int run(const struct command *c)
{
	int out[2], status;
	/* no pipe: a source could include /proc/self/fd/1 and wait for what never comes; a socket cannot be opened */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out)) end("internal_error", "socketpair: %s", strerror(errno));
	pid_t child = fork();
	if (child < 0) end("internal_error", "fork: %s", strerror(errno));
	if (!child) {
		char tmp[PATH_BYTES + 8];
		snprintf(tmp, sizeof tmp, "TMPDIR=%s", work);
		char *env[] = { "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "LANG=C", tmp, 0 };
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(open("/dev/null", O_RDONLY), 0);
		dup2(out[1], 1);
		dup2(out[1], 2);
		if (chdir(work)) _exit(127);
		execvpe(c->argv[0], (char **)c->argv, env);
		_exit(127);
	}
	close(out[1]);
	char buffer[4096];
	for (ssize_t k; (k = read(out[0], buffer, sizeof buffer)) != 0;) {
		if (k < 0 && errno == EINTR) continue;
		if (k < 0) break;
		size_t room = LOG_MAX - compile_log_bytes, take = (size_t)k < room ? (size_t)k : room;
		memcpy(compile_log + compile_log_bytes, buffer, take);
		compile_log_bytes += take;
	}
	close(out[0]);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR) end("internal_error", "wait: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
/* Statuses of the jail itself, or of a tool that is not there: never the answer's doing. */
static void check_tool(int status, const char *what)
{
	if ((status >= 95 && status <= 98) || status == 127) end("internal_error", "could not start %s in the jail (status %d): is the compiler installed?", what, status);
}
/* a plain file of its own: whatever else a build step could leave is not run */
static bool exists(const char *path)
{
	struct stat s;
	return !lstat(path, &s) && S_ISREG(s.st_mode);
}

static void compile_answer(void)
{
	struct command c = { .n = 0 };
	long began = now_us();
	add_jail(&c, FILE_MB);
	add(&c, "--");
	add_words(&c, "cc");
	add_words(&c, "flags");
	const char *rest[] = { "-fno-pie", "-fmax-errors=20", "-fno-diagnostics-show-caret", "-c", "answer.c", "-o", "answer.o" };
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) add(&c, rest[i]);
	int status = run(&c);
	compile_us = now_us() - began;
	check_tool(status, "the compiler");
	if (status == EXIT_WALL || status == 128 + SIGKILL || status == 128 + SIGXCPU) end("compile_error", "the compiler did not finish within its limits of %d s and %d MB", CPU_S, MEMORY_MB);
	if (status || !exists(path_of(work, "answer.o"))) end("compile_error", "does not compile: the compile log says where");
}
static long inspect_answer(const char *entry)
{
	struct inspection found;
	long began = now_us();
	if (!inspect_object(path_of(work, "answer.o"), entry, &found)) end("internal_error", "cannot read the object: %s", strerror(errno));
	inspect_us = now_us() - began;
	if (found.verdict) end(found.verdict, "%s", found.detail);
	return found.read_only_kb;
}
static const char *link_answer(const char *kernel)
{
	static char keep[200], object[200], readable[PATH_BYTES + 4];
	struct command local = { .n = 0 }, link = { .n = 0 };
	long began = now_us();
	snprintf(keep, sizeof keep, "--keep-global-symbol=%s", kernel);
	snprintf(object, sizeof object, "child_%s.o", kernel);
	const char *child = path_of(home, object);
	snprintf(readable, sizeof readable, "ro:%s", child);
	add_jail(&local, LINK_FILE_MB);
	add(&local, "--");
	add_words(&local, "objcopy");
	add(&local, keep), add(&local, "answer.o"), add(&local, "local.o");
	int status = run(&local);
	check_tool(status, "objcopy");
	if (status) end("compile_error", "its object cannot be processed: the compile log says why");
	add_jail(&link, LINK_FILE_MB);
	add(&link, readable);
	add(&link, "--");
	add_words(&link, "cc");
	add_words(&link, "link");
	add(&link, "-o"), add(&link, "answer"), add(&link, child), add(&link, "local.o"), add(&link, "-lm");
	status = run(&link);
	link_us = now_us() - began;
	check_tool(status, "the linker");
	if (status || !exists(path_of(work, "answer"))) end("compile_error", "does not link: the compile log says what is missing");
	return path_of(work, "answer");
}
/* The judge's JSON object, with the compile log put in front. */
static void judge(const char *kernel, const char *answer, long read_only_kb, int argc, char **argv)
{
	static char name[200], reference[200], number[4][40], text[1 << 20];       /* samples of all rounds take some 10 kB */
	int out[2], status;
	size_t n = 0;
	struct command c = { .n = 0 };
	snprintf(name, sizeof name, "judge_%s", kernel);
	snprintf(reference, sizeof reference, "reference_%s", kernel);
	snprintf(number[0], sizeof number[0], "ro_kb=%ld", read_only_kb);
	snprintf(number[1], sizeof number[1], "compile_us=%ld", compile_us);
	snprintf(number[2], sizeof number[2], "inspect_us=%ld", inspect_us);
	snprintf(number[3], sizeof number[3], "link_us=%ld", link_us);
	add(&c, path_of(home, name)), add(&c, answer), add(&c, path_of(home, reference)), add(&c, path_of(home, "empty"));
	for (int i = 0; i < 4; i++) add(&c, number[i]);
	for (int i = 0; i < argc; i++) add(&c, argv[i]);
	if (pipe2(out, O_CLOEXEC)) end("internal_error", "pipe: %s", strerror(errno));
	pid_t child = fork();
	if (child < 0) end("internal_error", "fork: %s", strerror(errno));
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(out[1], 1);
		execv(c.argv[0], (char **)c.argv);
		_exit(127);
	}
	close(out[1]);
	for (ssize_t k; n < sizeof text - 1 && (k = read(out[0], text + n, sizeof text - 1 - n)) != 0;) {
		if (k < 0 && errno == EINTR) continue;
		if (k < 0) break;
		n += k;
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR) break;
	if (!WIFEXITED(status) || WEXITSTATUS(status) || n < 3 || text[0] != '{' || text[n - 1] != '\n') end("internal_error", "the judge ended with status %#x", status);
	printf("{");
	print_log();
	printf(", ");
	fwrite(text + 1, 1, n - 1, stdout);
	fflush(stdout);
}
int main(int argc, char **argv)
{
	static char own[PATH_BYTES];
	if (argc < 3 || strlen(argv[2]) > 100 || strpbrk(argv[2], "/ \n")) {
		fprintf(stderr, "usage: grade WORK KERNEL [key=value ...]\n");
		return 2;
	}
	if (readlink("/proc/self/exe", own, sizeof own - 1) < 0 || !realpath(argv[1], work)) {
		fprintf(stderr, "grade: %s: %s\n", argv[1], strerror(errno));
		return 2;
	}
	snprintf(home, sizeof home, "%s", dirname(own));
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!getuid() && chmod(work, 0777)) end("internal_error", "chmod: %s", strerror(errno));      /* the jail drops root to nobody */
	if (!exists(path_of(work, "answer.c"))) end("internal_error", "there is no answer.c in the work folder");
	compile_answer();
	long read_only_kb = inspect_answer(argv[2]);
	judge(argv[2], link_answer(argv[2]), read_only_kb, argc - 3, argv + 3);
	return 0;
}
