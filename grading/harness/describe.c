/* What machine this is: one JSON object on stdout, for the Machine of a result.  usage: describe */
#define _GNU_SOURCE
#include <ctype.h>
#include <libgen.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <gnu/libc-version.h>

#include "json.h"
#include "resolution.h"

static void trim(char *s)
{
	for (size_t n = strlen(s); n && isspace((unsigned char)s[n - 1]); n--) s[n - 1] = 0;
}
/* First line of a file; empty when it cannot be read. */
static const char *line_of(const char *path)
{
	static char line[4][512];
	static int next;
	char *l = line[next++ % 4];
	FILE *f = fopen(path, "r");
	if (!f || !fgets(l, sizeof line[0], f)) *l = 0;
	if (f) fclose(f);
	trim(l);
	return l;
}
/* The value after "key : " in a /proc file, of its first occurrence. */
static bool field(const char *path, const char *key, char *value, size_t size)
{
	char l[1024];
	bool found = false;
	FILE *f = fopen(path, "r");
	*value = 0;
	while (f && !found && fgets(l, sizeof l, f)) {
		char *colon = strchr(l, ':');
		if (!colon || strncmp(l, key, strlen(key)) || !strchr(" \t:", l[strlen(key)])) continue;
		while (isspace((unsigned char)*++colon))
			;
		trim(colon);
		snprintf(value, size, "%s", colon);
		found = true;
	}
	if (f) fclose(f);
	return found;
}
/* arm64 has no model name in /proc/cpuinfo: implementer and part (Arm's MIDR_EL1), with the names of what clouds rent */
static void cpu_model(char *model, size_t size)
{
	static const struct { const char *implementer, *part, *name; } known[] = {
		{ "0x41", "0xd0c", "Arm Neoverse-N1" }, { "0x41", "0xd40", "Arm Neoverse-V1" }, { "0x41", "0xd49", "Arm Neoverse-N2" }, { "0x41", "0xd4f", "Arm Neoverse-V2" },
		{ "0x41", "0xd84", "Arm Neoverse-V3" }, { "0x41", "0xd8e", "Arm Neoverse-N3" }, { "0x41", "0xd08", "Arm Cortex-A72" }, { "0xc0", "0xac3", "Ampere-1" }, { "0xc0", "0xac4", "Ampere-1A" },
	};
	char implementer[64], part[64];
	if (field("/proc/cpuinfo", "model name", model, size)) return;
	field("/proc/cpuinfo", "CPU implementer", implementer, sizeof implementer);
	field("/proc/cpuinfo", "CPU part", part, sizeof part);
	snprintf(model, size, "implementer %s part %s", implementer, part);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(implementer, known[i].implementer) && !strcmp(part, known[i].part)) snprintf(model, size, "%s", known[i].name);
}
static void print(const char *name, const char *value)
{
	printf("\"%s\": ", name);
	json_string(stdout, value, strlen(value));
	printf(", ");
}
/* First line of what a command prints. */
static void first_line(const char *command, char *line, size_t size)
{
	FILE *p = popen(command, "r");
	if (!p || !fgets(line, size, p)) *line = 0;
	if (p) pclose(p);
	trim(line);
}
int main(void)
{
	static char own[4096], path[4200];
	char model[300], memory[64], cc[200], command[4300], compiler[300], defences[1000];
	struct utsname u;
	cpu_set_t may;
	uname(&u);
	cpu_model(model, sizeof model);
	field("/proc/meminfo", "MemTotal", memory, sizeof memory);
	CPU_ZERO(&may);
	sched_getaffinity(0, sizeof may, &may);
	if (readlink("/proc/self/exe", own, sizeof own - 1) < 0) return 2;
	const char *home = dirname(own);
	snprintf(path, sizeof path, "%s/cc", home);
	snprintf(cc, sizeof cc, "%s", line_of(path));
	snprintf(command, sizeof command, "%s --version 2>/dev/null", cc);
	first_line(command, compiler, sizeof compiler);
	snprintf(command, sizeof command, "'%s/selftest' --json", home);
	first_line(command, defences, sizeof defences);
	snprintf(path, sizeof path, "%s/flags", home);
	printf("{");
	print("arch", !strcmp(u.machine, "x86_64") ? "amd64" : !strcmp(u.machine, "aarch64") ? "arm64" : u.machine);
	print("cpu_model", model);
	printf("\"vcpus\": %d, \"memory_mb\": %.1f, ", CPU_COUNT(&may), atol(memory) / 1024.);
	print("kernel_release", u.release);
	print("compiler", compiler);
	print("flags", line_of(path));
	print("libc", gnu_get_libc_version());
	print("huge_pages", line_of("/sys/kernel/mm/transparent_hugepage/enabled"));
	long hidden = hidden_pages_at_most();
	if (hidden >= 0) printf("\"memory_resolution_mb\": %.4f, ", hidden * sysconf(_SC_PAGESIZE) / 1048576.);
	printf("\"defences\": %s, \"page_size_bytes\": %ld}\n", *defences == '{' ? defences : "{}", sysconf(_SC_PAGESIZE));
	return 0;
}
