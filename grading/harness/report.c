/* The judge's one output: a JSON object. Every way out of the program goes through verdict(). */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "judge.h"
#include "json.h"

struct record record = { .correct = -1, .extra_mb = -1, .peak_mb = -1, .cpu_clock = true };

static void print_samples(const char *name, const double *v, int count)
{
	printf("\"%s\": [", name);
	for (int i = 0; i < count; i++) printf("%s%.0f", i ? ", " : "", v[i]);
	printf("], ");
}
static void print_number(const char *name, bool known, double value)
{
	if (known && isfinite(value)) printf(", \"%s\": %.6f", name, value);
	else printf(", \"%s\": null", name);
}
static const char *boolean(bool b) { return b ? "true" : "false"; }

noreturn void verdict(const char *name, const char *format, ...)
{
	char detail[512];
	va_list ap;
	va_start(ap, format);
	vsnprintf(detail, sizeof detail, format, ap);
	va_end(ap);
	stop_children();                                 /* nothing is left when we end */
	printf("{\"verdict\": \"%s\", \"detail\": ", name);
	json_string(stdout, detail, strlen(detail));
	printf(", \"compiled\": true, \"correct\": %s", record.correct < 0 ? "null" : boolean(record.correct));
	print_number("extra_mb", record.extra_mb >= 0, record.extra_mb);
	print_number("peak_mb", record.peak_mb >= 0, record.peak_mb);
	print_number("units", record.rounds > 0, record.units);
	print_number("const_kb", true, opt.const_bytes / 1024.);
	if (record.rounds) {
		printf(", \"samples\": {");
		print_samples("answer_ns", record.answer_ns, record.rounds);
		print_samples("reference_ns", record.reference_ns, record.rounds);
		printf("\"process\": [");
		for (int i = 0; i < record.rounds; i++) printf("%s%d", i ? ", " : "", record.process[i]);
		printf("], \"empty_ns\": %.0f, \"empty_spread_ns\": %.1f, ", record.empty_ns, record.empty_spread_ns);
		print_samples("first_answer_ns", record.first_answer_ns, record.firsts);
		print_samples("first_start_ns", record.first_start_ns, record.firsts);
		print_samples("first_faults", record.first_faults, record.firsts);
		print_samples("first_reference_ns", record.first_reference_ns, record.first_rounds);
		printf("\"fault_ns\": %.1f}", record.fault_ns);
	} else {
		printf(", \"samples\": null");
	}
	if (record.unwalled) printf(", \"unwalled\": true");
	printf(", \"rounds\": %d, \"dirty\": %d, \"early\": %d, \"tests\": %ld", record.rounds, record.dirty, record.early, record.tests);
	printf(", \"seconds\": {\"compile\": %.4f, \"inspect\": %.4f, \"link\": %.4f, \"start\": %.4f, \"tests\": %.4f, \"benchmark\": %.4f, \"cpu\": %.4f}",
	       opt.compile_us / 1e6, opt.inspect_us / 1e6, opt.link_us / 1e6, record.start_s, record.tests_s, record.benchmark_s, run_cpu_ns() / 1e9);
	printf(", \"defences\": {\"landlock\": %s, \"seccomp\": %s, \"cpu_clock\": %s, \"memory_reset\": %s, \"hidden_clocks\": %s}}\n", boolean(record.landlock), boolean(record.seccomp), boolean(record.cpu_clock),
	       boolean(record.memory_reset), boolean(record.hidden_clocks));
	fflush(stdout);
	_exit(0);
}
noreturn void fault(const char *what) { verdict("internal_error", "%s: %s", what, strerror(errno)); }
