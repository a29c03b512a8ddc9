/* Memory that the peak counters do not see.

   The kernel keeps resident pages per CPU (before Linux 6.2: per thread) and folds them into the sum, from which the peak is taken, once some tens of
   them have gathered.  What is mapped and unmapped within a call can stay below that; describe measures how much (the resolution).  Faults are
   counted exactly.  So a process's pages are also summed another way: those it holds in the end, by its page tables, and the faults of a call that
   those do not explain, which were pages given back.  Where that is more than the peak shows, the difference is added, at most the resolution: a
   call that maps and unmaps the same page again and again has more faults than pages. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>

#include "judge.h"

enum { FEW_PAGES = 8 };                /* page tables and faults agree to less than that in answers that give nothing back */

static double page_mb(void) { return sysconf(_SC_PAGESIZE) / 1048576.; }

/* By the page tables, exact on all kernels; where the system does not let us read that, by its counters. */
static long resident_pages(int who)
{
	char path[64], text[4096];
	snprintf(path, sizeof path, "/proc/%d/smaps_rollup", child[who].pid);
	int f = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t k = f < 0 ? -1 : read(f, text, sizeof text - 1);
	if (f >= 0) close(f);
	text[k > 0 ? k : 0] = 0;
	const char *rss = strstr(text, "\nRss:");
	long kb = rss ? atol(rss + 5) : status_kb(&child[who], "RssAnon:") + status_kb(&child[who], "RssFile:") + status_kb(&child[who], "RssShmem:");
	return kb * 1024 / sysconf(_SC_PAGESIZE);
}
struct usage usage_of(int who) { return opt.emulate ? (struct usage){ 0 } : (struct usage){ faults_of(who), resident_pages(who) }; }

/* Faults that the pages kept since `before` do not explain: those may have two, the first by a read. */
static long given_back(const struct usage *before, const struct usage *after)
{
	long kept = after->pages - before->pages, faults = after->faults - before->faults;
	long left = faults - 2 * (kept > 0 ? kept : 0);
	return before->faults < 0 || left < 0 ? 0 : left;
}
static long largest(long a, long b) { return a > b ? a : b; }
static long held(int who, const struct usage *now) { return now->pages - child[who].mapped.pages; }

void count_pages(const struct usage *first, const struct usage *last, long calls)
{
	const struct child *h = &child[ANSWER];
	struct usage empty = usage_of(EMPTY);
	long back = given_back(&h->ready, first);
	if (calls > 0) back = largest(back, given_back(first, last) / calls);
	if (back < FEW_PAGES) return;
	record.counted_mb = fmax(record.counted_mb, (held(ANSWER, last) - held(EMPTY, &empty) + back) * page_mb() + opt.ro_kb / 1024.);
}
void add_hidden_pages(void)
{
	double hidden = record.counted_mb - record.extra_mb, resolution = opt.resolution_kb / 1024., room = fmax(0, opt.mem_kb / 1024. - record.extra_mb);
	if (record.extra_mb < 0 || hidden <= 0) return;
	/* more than can be hidden: pages were faulted in repeatedly, and that alone takes nobody over the limit */
	if (hidden > resolution) hidden = fmin(resolution, room);
	record.extra_mb += hidden;
}
/* CPU time of one minor fault of a private page, as it is for everybody on this machine. */
double fault_ns(void)
{
	enum { TRIES = 7, PAGES = 128 };
	double tries[TRIES];
	size_t page = sysconf(_SC_PAGESIZE);
	for (int t = 0; t < TRIES; t++) {
		char *p = mmap(0, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED) fault("mmap");
		madvise(p, PAGES * page, MADV_NOHUGEPAGE);
		double began = own_cpu_ns();
		for (int i = 0; i < PAGES; i++) *(volatile char *)(p + i * page) = 1;
		tries[t] = (own_cpu_ns() - began) / PAGES;
		munmap(p, PAGES * page);
	}
	return median(tries, TRIES);
}
