/* The driver: grade one answer with one command.   usage: grade WORK KERNEL [key=value ...]

   Theory of operation.  WORK/answer.c is compiled alone in the jail, its object is inspected, every global symbol but the entry is made local, it
   is linked statically with the stub, and the judge runs it.  All untrusted input meets a tool only inside the jail.  Whose fault a failed build is,
   settle() measures.  Prints exactly one JSON object, exit status 0; anything else is a fault of ours.  Needs gcc, binutils and a shell beside the folder that build.sh made, nothing more, so that the
   same command works in a container or a remote sandbox in a single round trip. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
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

#include "image.h"
#include "inspect.h"
#include "json.h"
#include "machine.h"

enum { LOG_MAX = 16000, ARGS_MAX = 96, PATH_BYTES = 4096, LOOK_MS = 5 };
/* Of each build step.  The wall limit is only a fuse: its end says how busy the machine is, not what the answer is. */
enum { WALL_S = 300, CPU_S = 15, MEMORY_MB = 2000, FILE_MB = 32, LINK_FILE_MB = 64 };
enum { EXIT_MEMORY = 122, EXIT_CPU = 123, EXIT_WALL = 124, EXIT_JAIL_FIRST = 110, EXIT_JAIL_LAST = 114, EXIT_OPEN = 115 };       /* of the jail */
_Static_assert(NEEDED_ROOM_KB >= ((2 * FILE_MB + 2 * LINK_FILE_MB) << 10) + FLOOR_ROOM_KB, "an answer could fill the disk within its limits");
static char home[PATH_BYTES], work[PATH_BYTES], compile_log[LOG_MAX + 1];
static size_t compile_log_bytes;
static bool is_logged = true;                        /* only what the answer's first build prints */
static const char *limit_reached;                    /* of ours, in the record: the name of the limit */
static bool machine_short;                           /* in the record: nothing can be graded here until somebody has made room */
static bool unwalled_ok;                             /* an option: an outer sandbox keeps files away, or the operator has accepted that nobody does */
static bool unwalled;                                /* in the record: nothing can be graded here until there is something that keeps files away */
/* What the jail says was in force, in every step so far. */
enum { WALLS = 3, JAIL_TELLS = 40 };
static const char *const wall[WALLS] = { "landlock", "mount_namespace", "seccomp" };
static unsigned walls = ~0u;
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
static void print_walls(void)
{
	const char *between = "";
	printf("\"compiler_walls\": ");
	if (walls == ~0u) {
		printf("null");
		return;
	}
	printf("[");
	for (int i = 0; i < WALLS; i++)
		if (walls & 1u << i) printf("%s\"%s\"", between, wall[i]), between = ", ";
	printf("]");
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
	if (limit_reached) printf(", \"limit\": \"%s\"", limit_reached);
	if (machine_short) printf(", \"machine_short\": true");
	if (unwalled) printf(", \"unwalled\": true");
	printf(", ");
	print_walls();
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
	static char tells[24];
	snprintf(tells, sizeof tells, "tell:%d", JAIL_TELLS);
	add(c, tells);
	if (unwalled_ok) add(c, "open");
}
/* One line of the jail's, written before the command began. */
static void hear_walls(int from)
{
	char text[100];
	ssize_t n = read(from, text, sizeof text - 1);
	unsigned heard = 0;
	text[n > 0 ? n : 0] = 0;
	for (int i = 0; i < WALLS; i++)
		if (strstr(text, wall[i])) heard |= 1u << i;
	if (n > 0) walls &= heard;
}
/* Exit status of the command, its output added to the compile log (the first LOG_MAX bytes of it); `w` has watched it. */
static int run(const struct command *c, struct watch *w)
{
	int out[2], told[2], status;
	watch_begin(w, work);
	if (pipe2(told, O_CLOEXEC)) end("internal_error", "pipe: %s", strerror(errno));
	/* no pipe: a source could include /proc/self/fd/1 and wait for what never comes; a socket cannot be opened */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out)) end("internal_error", "socketpair: %s", strerror(errno));
	pid_t child = fork();
	if (child < 0) end("internal_error", "fork: %s", strerror(errno));
	if (!child) {
		char tmp[PATH_BYTES + 8];
		snprintf(tmp, sizeof tmp, "TMPDIR=%s", work);
		char *env[] = { "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "LANG=C", "SOURCE_DATE_EPOCH=0", tmp, 0 };      /* the same source gives the same object: settle() counts on it */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(open("/dev/null", O_RDONLY), 0);
		dup2(out[1], 1);
		dup2(out[1], 2);
		dup2(told[1], JAIL_TELLS);
		if (chdir(work)) _exit(127);
		execvpe(c->argv[0], (char **)c->argv, env);
		_exit(127);
	}
	close(out[1]), close(told[1]);
	char buffer[4096];
	for (;;) {
		struct pollfd readable = { out[0], POLLIN, 0 };
		int ready = poll(&readable, 1, LOOK_MS);
		watch_look(w);
		if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
		ssize_t k = ready < 0 ? -1 : read(out[0], buffer, sizeof buffer);
		if (k < 0 && errno == EINTR) continue;
		if (k < 0) end("internal_error", "cannot read what a build step prints: %s", strerror(errno));
		if (k == 0) break;
		if (!is_logged) continue;
		size_t room = LOG_MAX - compile_log_bytes, take = (size_t)k < room ? (size_t)k : room;
		memcpy(compile_log + compile_log_bytes, buffer, take);
		compile_log_bytes += take;
	}
	close(out[0]);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR) end("internal_error", "wait: %s", strerror(errno));
	watch_end(w);
	hear_walls(told[0]);
	close(told[0]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
/* Statuses of the jail itself, or of a tool that is not there: never the answer's doing. */
static void check_tool(int status, const char *what)
{
	unwalled = status == EXIT_OPEN && walls == ~0u;      /* a command's own status could be the same, but then the jail has told what is in force */
	if (unwalled) end("internal_error", "nothing would keep the machine's files from %s: this kernel has no Landlock, and a mount namespace cannot be made", what);
	if ((status >= EXIT_JAIL_FIRST && status <= EXIT_JAIL_LAST) || status == 127) end("internal_error", "could not start %s in the jail (status %d): is the compiler installed?", what, status);
}
/* a plain file of its own: whatever else a build step could leave is not run */
static bool exists(const char *path)
{
	struct stat s;
	return !lstat(path, &s) && S_ISREG(s.st_mode);
}


/* ---------- building ---------- */
enum stage { COMPILE, INSPECT, LOCALISE, LINK, BUILT };
static const char *const tool[] = { "the compiler", "the inspection", "objcopy", "the linker" };
static const char *const failure[] = { "does not compile: the compile log says where", "the compiler did not make a relocatable object", "its object cannot be processed: the compile log says why",
	"does not link: the compile log says what is missing" };
struct build {
	const char *name;              /* name.c is compiled to the program `name` */
	enum stage stage;              /* where it stopped; BUILT: nowhere */
	int status, file_mb;           /* of the step that failed: how it ended, what it may write */
	struct watch watch;            /* the same */
	struct inspection found;
};
static const char *file_of(const struct build *b, const char *suffix)
{
	static char ring[16][64];
	static int next;
	char *p = ring[next++ % 16];
	snprintf(p, sizeof ring[0], "%s%s", b->name, suffix);
	return p;
}
static bool step(struct build *b, enum stage stage, const struct command *c, int file_mb, const char *product)
{
	b->stage = stage;
	b->file_mb = file_mb;
	b->status = run(c, &b->watch);
	check_tool(b->status, tool[stage]);
	return !b->status && exists(path_of(work, product));
}
static bool compile(struct build *b)
{
	struct command c = { .n = 0 };
	long began = now_us();
	add_jail(&c, FILE_MB);
	add(&c, "--");
	add_words(&c, "cc");
	add_words(&c, "flags");
	const char *rest[] = { "-fno-pie", "-fmax-errors=20", "-fno-diagnostics-show-caret", "-c", file_of(b, ".c"), "-o", file_of(b, ".o") };
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) add(&c, rest[i]);
	bool made = step(b, COMPILE, &c, FILE_MB, file_of(b, ".o"));
	if (is_logged) compile_us = now_us() - began;
	return made;
}
/* True: an object of which nothing, or another thing than its form, is to be said. */
static bool inspect(struct build *b, const char *entry)
{
	long began = now_us();
	b->stage = INSPECT;
	if (!inspect_object(path_of(work, file_of(b, ".o")), entry, &b->found)) end("internal_error", "cannot read the object: %s", strerror(errno));
	if (is_logged) inspect_us = now_us() - began;
	return !b->found.verdict || strcmp(b->found.verdict, "compile_error");
}
static bool localise(struct build *b, const char *kernel)
{
	static char keep[200];
	struct command c = { .n = 0 };
	snprintf(keep, sizeof keep, "--keep-global-symbol=%s", kernel);
	add_jail(&c, LINK_FILE_MB);
	add(&c, "--");
	add_words(&c, "objcopy");
	add(&c, keep), add(&c, file_of(b, ".o")), add(&c, file_of(b, ".local.o"));
	return step(b, LOCALISE, &c, LINK_FILE_MB, file_of(b, ".local.o"));
}
static bool link_program(struct build *b, const char *kernel)
{
	static char object[200], readable[PATH_BYTES + 4];
	struct command c = { .n = 0 };
	snprintf(object, sizeof object, "child_%s.o", kernel);
	const char *child = path_of(home, object);
	snprintf(readable, sizeof readable, "ro:%s", child);
	add_jail(&c, LINK_FILE_MB);
	add(&c, readable);
	add(&c, "--");
	add_words(&c, "cc");
	add_words(&c, "link");
	add(&c, "-o"), add(&c, b->name), add(&c, child), add(&c, file_of(b, ".local.o")), add(&c, "-lm");
	return step(b, LINK, &c, LINK_FILE_MB, b->name);
}
/* Up to and with the stage `last`.  What another thing than a failed step speaks against (forbidden, extra_thread) stops at INSPECT with a verdict in `found`. */
static bool build(struct build *b, const char *kernel, enum stage last)
{
	if (!compile(b)) return false;
	if (last >= INSPECT && (!inspect(b, kernel) || b->found.verdict)) return false;
	long began = now_us();
	bool made = (last < LOCALISE || localise(b, kernel)) && (last < LINK || link_program(b, kernel));
	if (is_logged) link_us = now_us() - began;
	if (made) b->stage = BUILT;
	return made;
}

/* ---------- whose fault a failed build is ---------- */
static void remove_all_but_the_source(void)
{
	DIR *d = opendir(work);
	for (struct dirent *e; d && (e = readdir(d));)
		if (strcmp(e->d_name, "answer.c")) unlinkat(dirfd(d), e->d_name, 0);
	if (d) closedir(d);
}
static void end_if_short(const struct watch *w)
{
	char why[PATH_BYTES + 200];
	if (is_short(w, FLOOR_ROOM_KB, FLOOR_FILES, FLOOR_MEMORY_KB, why, sizeof why)) end("internal_error", "while the answer was built: %s", why);
}
static void end_if_over_our_limits(const struct build *b)
{
	if (b->stage == INSPECT) return;
	if (b->status == EXIT_CPU) limit_reached = "cpu", end("compile_error", "%s reached its limit of %d s of CPU time", tool[b->stage], CPU_S);
	if (b->watch.largest_kb >= (long)b->file_mb << 10) limit_reached = "file", end("compile_error", "%s reached its limit of %d MB for one file: what it makes of the answer is too large", tool[b->stage], b->file_mb);
	if (b->status == EXIT_MEMORY && b->watch.least_memory_kb >= FLOOR_MEMORY_KB && oom_kills() == b->watch.oom_before) limit_reached = "memory", end("compile_error", "%s reached its limit of %d MB of memory", tool[b->stage], MEMORY_MB);
}
static void write_control(const char *kernel)
{
	static char name[200], text[1 << 18];
	snprintf(name, sizeof name, "control_%s.c", kernel);
	int from = open(path_of(home, name), O_RDONLY | O_CLOEXEC), to = open(path_of(work, "control.c"), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	ssize_t n = from < 0 ? -1 : read(from, text, sizeof text);
	if (n <= 0) end("internal_error", "%s is missing from the harness: build it again", name);
	if (to < 0 || write(to, text, n) != n || fchmod(to, 0644)) end("internal_error", "cannot write into the work folder %s: %s", work, strerror(errno));
	close(from), close(to);
}
/* The log decides nothing, since an answer prints what it likes: a limit of ours that was reached is the answer's doing; a machine that was short of something, a
   control (the reference, built by the same commands) that fails now, or the answer built at the second try, is ours.  What is left is the answer's. */
static noreturn void settle(struct build *b, const char *kernel)
{
	enum stage failed = b->stage;
	end_if_over_our_limits(b);
	end_if_short(&b->watch);
	if (b->stage != INSPECT && b->status == EXIT_WALL) end("internal_error", "%s did not end within %d s on this busy machine", tool[failed], WALL_S);
	is_logged = false;
	remove_all_but_the_source();
	write_control(kernel);
	struct build control = { .name = "control" }, again = { .name = "answer" };
	if (!build(&control, kernel, failed)) end("internal_error", "%s fails for the reference too (status %d): the machine is at fault, not the answer", tool[control.stage], control.status);
	end_if_short(&control.watch);
	remove_all_but_the_source();
	if (build(&again, kernel, failed) || again.stage > failed || (again.stage == INSPECT && again.found.verdict && failed != INSPECT)) end("internal_error", "%s failed, and did not when it was tried again: the machine is at fault, not the answer", tool[failed]);
	end_if_over_our_limits(&again);
	end_if_short(&again.watch);
	end("compile_error", "%s", failed == INSPECT && again.found.verdict ? again.found.detail : failure[failed]);
}
/* What of the answer the judge cannot see by watching it run. */
struct sizes { long read_only_kb, const_bytes; };
enum { SIZE_MAX_LOG2 = 40 };                         /* the judge takes no larger number; it is over every limit */
static long bounded(uint64_t size) { return size >> SIZE_MAX_LOG2 ? 1l << SIZE_MAX_LOG2 : (long)size; }
static struct sizes build_answer(const char *kernel)
{
	struct build answer = { .name = "answer" };
	if (!build(&answer, kernel, LINK)) {
		if (answer.stage != INSPECT || !strcmp(answer.found.verdict, "compile_error")) settle(&answer, kernel);
		end_if_short(&answer.watch);
		end(answer.found.verdict, "%s", answer.found.detail);
	}
	struct image own, empty;
	if (!read_image(path_of(home, "empty"), &empty)) end("internal_error", "%s of the harness cannot be read: build it again", "empty");
	if (!read_image(path_of(work, answer.name), &own)) end("compile_error", "the linker did not make a program of it");
	return (struct sizes){ bounded(own_read_only_bytes(&own, &empty) >> 10), bounded(answer.found.const_bytes) };
}
/* Before anything of the answer is touched, so no answer can bring this about. */
static void look_for_room(void)
{
	struct watch now;
	char why[PATH_BYTES + 200];
	watch_begin(&now, work);
	machine_short = is_short(&now, NEEDED_ROOM_KB, NEEDED_FILES, NEEDED_MEMORY_KB, why, sizeof why);
	if (machine_short) end("internal_error", "%s", why);
}
/* The judge's JSON object, with the compile log put in front. */
static void judge(const char *kernel, const char *answer, struct sizes sizes, int argc, char **argv)
{
	static char name[200], reference[200], number[5][40], text[1 << 20];       /* samples of all rounds take some 10 kB */
	int out[2], status;
	size_t n = 0;
	long oom_before = oom_kills();
	struct command c = { .n = 0 };
	snprintf(name, sizeof name, "judge_%s", kernel);
	snprintf(reference, sizeof reference, "reference_%s", kernel);
	snprintf(number[0], sizeof number[0], "ro_kb=%ld", sizes.read_only_kb);
	snprintf(number[1], sizeof number[1], "compile_us=%ld", compile_us);
	snprintf(number[2], sizeof number[2], "inspect_us=%ld", inspect_us);
	snprintf(number[3], sizeof number[3], "link_us=%ld", link_us);
	snprintf(number[4], sizeof number[4], "const_bytes=%ld", sizes.const_bytes);
	add(&c, path_of(home, name)), add(&c, answer), add(&c, path_of(home, reference)), add(&c, path_of(home, "empty"));
	for (int i = 0; i < 5; i++) add(&c, number[i]);
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
	if (WIFSIGNALED(status)) end("internal_error", "the judge was killed by SIG%s%s", sigabbrev_np(WTERMSIG(status)), oom_kills() != oom_before ? ": the machine ran out of memory" : "");
	if (!WIFEXITED(status) || WEXITSTATUS(status) || n < 3 || text[0] != '{' || text[n - 1] != '\n') end("internal_error", "the judge ended with status %#x", status);
	printf("{");
	print_log();
	printf(", ");
	print_walls();
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
	if (!exists(path_of(work, "answer.c"))) end("internal_error", "there is no answer.c in the work folder");
	for (int i = 3; i < argc; i++) unwalled_ok |= !strcmp(argv[i], "unwalled=1");
	look_for_room();
	if (!getuid() && chmod(work, 0777)) end("internal_error", "chmod: %s", strerror(errno));      /* the jail drops root to nobody */
	struct sizes sizes = build_answer(argv[2]);
	judge(argv[2], path_of(work, "answer"), sizes, argc - 3, argv + 3);
	return 0;
}
