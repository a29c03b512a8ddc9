/* key=value arguments of the judge and, passed through, of the driver. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

struct options opt = { .rounds = 11, .processes = 3, .mem_kb = 4096, .call_s = 60, .total_s = 180 };

static const struct { const char *key; long *value, low, high; } table[] = {
	{ "size", &opt.size, 0, 1l << 40 }, { "rounds", &opt.rounds, 3, ROUNDS_MAX }, { "processes", &opt.processes, 1, ROUNDS_MAX },
	{ "batch", &opt.batch, 0, BATCH_MAX }, { "mem_kb", &opt.mem_kb, 0, 1l << 40 }, { "ro_kb", &opt.ro_kb, 0, 1l << 40 },
	{ "resolution_kb", &opt.resolution_kb, 0, 1l << 30 }, { "const_bytes", &opt.const_bytes, 0, 1l << 40 },
	{ "call_s", &opt.call_s, 1, 86400 }, { "total_s", &opt.total_s, 1, 86400 }, { "emulate", &opt.emulate, 0, 1 }, { "unwalled", &opt.unwalled, 0, 1 },
	{ "tests_only", &opt.tests_only, 0, 1 }, { "list", &opt.list, 0, 1 }, { "seed", &opt.seed, 0, 1l << 40 },
	{ "compile_us", &opt.compile_us, 0, 1l << 40 }, { "inspect_us", &opt.inspect_us, 0, 1l << 40 }, { "link_us", &opt.link_us, 0, 1l << 40 },
};

bool read_options(int argc, char **argv, char *why, size_t why_size)
{
	for (int i = 0; i < argc; i++) {
		const char *eq = strchr(argv[i], '=');
		char *end;
		long x = eq ? strtol(eq + 1, &end, 10) : 0;
		size_t k = 0, count = sizeof table / sizeof *table;
		while (k < count && !(eq && strlen(table[k].key) == (size_t)(eq - argv[i]) && !strncmp(argv[i], table[k].key, eq - argv[i]))) k++;
		if (k == count || end == eq + 1 || *end || x < table[k].low || x > table[k].high) {
			snprintf(why, why_size, "unknown option or value out of range: %s", argv[i]);
			return false;
		}
		*table[k].value = x;
	}
	if (opt.processes > opt.rounds) opt.processes = opt.rounds;
	return true;
}
