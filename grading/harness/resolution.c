/* The resolution of the kernel's peak counters, found by trying.

   Resident pages are counted apart, per CPU (per thread before Linux 6.2), and reach the sum that the peak is taken from in batches: 32 pages on small
   hosts, twice the number of CPUs on large ones, 64 before 6.2.  A trial maps some pages, touches them and unmaps them: what shows of them grows in
   steps of a batch.  Less than a batch of each of the three kinds (private, of files, shared) may be missing from a peak, and a process can bring one
   of them as far below zero first, by giving back pages that had been summed: four times a batch can be hidden at most.
   (Linux: lib/percpu_counter.c, mm/memory.c.) */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "resolution.h"

enum { LARGE = 128, PAGES_MOST = 8192 };

static long peak_kb(void)
{
	char text[8192];
	int f = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = f < 0 ? -1 : read(f, text, sizeof text - 1);
	if (f >= 0) close(f);
	text[n > 0 ? n : 0] = 0;
	const char *at = strstr(text, "VmHWM:");
	return at ? atol(at + 6) : -1;
}
static int reset_peak(void)
{
	int f = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
	int done = f >= 0 && write(f, "5", 1) == 1;
	if (f >= 0) close(f);
	return done;
}
static void use_and_give_back(long pages, size_t page)
{
	char *p = mmap(0, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) _exit(1);
	for (long i = 0; i < pages; i++) *(volatile char *)(p + i * page) = 1;
	munmap(p, pages * page);
}
/* How many of so many pages the peak shows. */
static long shown(long pages, size_t page)
{
	use_and_give_back(2 * pages + LARGE, page);      /* so many at once are summed: the count begins at zero */
	if (!reset_peak()) _exit(1);
	long before = peak_kb();
	use_and_give_back(pages, page);
	return (peak_kb() - before) / (long)(page >> 10);
}
/* The fewest pages above `low` of which more shows than `usual`. */
static long next_step(long low, long usual, size_t page)
{
	long high = low + LARGE;
	for (; shown(high, page) <= usual; high += high)
		if (high > PAGES_MOST) _exit(1);
	while (high - low > 1) {
		long middle = (low + high) / 2;
		if (shown(middle, page) > usual) high = middle;
		else low = middle;
	}
	return high;
}
static long batch(size_t page)
{
	if (!reset_peak() || peak_kb() < 0) _exit(1);
	long first = next_step(0, 0, page), second = next_step(first, shown(first, page), page);
	return second - first;
}
/* As an answer, which never was on another CPU: each has a count of its own.  Returns where we may run. */
static cpu_set_t stay_on_one_cpu(void)
{
	cpu_set_t may, one;
	CPU_ZERO(&may);
	CPU_ZERO(&one);
	sched_getaffinity(0, sizeof may, &may);
	for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &may)) CPU_SET(i, &one);
	sched_setaffinity(0, sizeof one, &one);
	return may;
}
/* In a process of its own: the caller's memory is left out of it. */
static long one_try(void)
{
	int answer[2];
	long hidden = -1;
	if (pipe2(answer, O_CLOEXEC)) return -1;
	pid_t child = fork();
	if (!child) {
		prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
		hidden = 4 * (batch(sysconf(_SC_PAGESIZE)) - 1);
		_exit(write(answer[1], &hidden, sizeof hidden) != sizeof hidden);
	}
	close(answer[1]);
	if (child < 0 || read(answer[0], &hidden, sizeof hidden) != sizeof hidden) hidden = -1;
	close(answer[0]);
	if (child > 0) waitpid(child, NULL, 0);
	return hidden;
}
/* The median of some tries: reclaim and migration disturb one now and then, and the same machine must say the same. */
long hidden_pages_at_most(void)
{
	enum { TRIES = 7 };
	long tries[TRIES];
	cpu_set_t may = stay_on_one_cpu();
	for (int i = 0; i < TRIES; i++) {
		int at = i;
		long found = one_try();
		for (; at > 0 && tries[at - 1] > found; at--) tries[at] = tries[at - 1];
		tries[at] = found;
	}
	sched_setaffinity(0, sizeof may, &may);
	return tries[TRIES / 2];
}
