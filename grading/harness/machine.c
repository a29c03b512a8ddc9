/* Measurements of the machine: free room, free memory, processes killed for want of it (machine.h). */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "machine.h"

enum { LOOK_EVERY_US = 2000 };

/* The number behind a word in a file of /proc; -1 where it is not. */
static long number_of(const char *path, const char *word)
{
	char text[16384];
	int f = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0, k;
	while (f >= 0 && n < (ssize_t)sizeof text - 1 && (k = read(f, text + n, sizeof text - 1 - n)) > 0) n += k;
	if (f < 0) return -1;
	close(f);
	text[n] = 0;
	const char *at = strstr(text, word);
	return at ? atol(at + strlen(word)) : -1;
}
long oom_kills(void) { return number_of("/proc/vmstat", "\noom_kill "); }

static long clock_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000l + t.tv_nsec / 1000;
}
static void at_most(long *least, long value)
{
	if (value < *least) *least = value;
}
static void measure(struct watch *w)
{
	struct statvfs s;
	long memory_kb = number_of("/proc/meminfo", "MemAvailable:");
	if (statvfs(w->folder, &s)) {
		w->least_room_kb = w->least_files = 0;            /* the folder has vanished */
	} else if (s.f_flag & ST_RDONLY) {
		w->least_room_kb = 0;
	} else {
		at_most(&w->least_room_kb, (long)((unsigned long long)s.f_bavail * s.f_frsize >> 10));
		if (s.f_files) at_most(&w->least_files, s.f_favail);      /* some file systems do not count files */
	}
	if (memory_kb >= 0) at_most(&w->least_memory_kb, memory_kb);
}
/* Open descriptors tell the size of a file after the compiler has deleted it. */
static void meet_files(struct watch *w)
{
	DIR *d = opendir(w->folder);
	if (!d) return;
	for (struct dirent *e; (e = readdir(d)) && w->count < (int)(sizeof w->files / sizeof *w->files);) {
		bool known = e->d_name[0] == '.';
		for (int i = 0; i < w->count; i++) known |= w->seen[i] == e->d_ino;
		if (known) continue;
		int f = openat(dirfd(d), e->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (f < 0) continue;
		w->seen[w->count] = e->d_ino;
		w->files[w->count++] = f;
	}
	closedir(d);
}
void watch_begin(struct watch *w, const char *folder)
{
	*w = (struct watch){ .folder = folder, .least_room_kb = LONG_MAX, .least_files = LONG_MAX, .least_memory_kb = LONG_MAX, .oom_before = oom_kills() };
	measure(w);
	w->looked_us = clock_us();
}
void watch_look(struct watch *w)
{
	if (clock_us() - w->looked_us < LOOK_EVERY_US) return;
	measure(w);
	meet_files(w);
	w->looked_us = clock_us();
}
void watch_end(struct watch *w)
{
	meet_files(w);
	for (int i = 0; i < w->count; i++) {
		struct stat s;
		if (!fstat(w->files[i], &s) && S_ISREG(s.st_mode) && s.st_size >> 10 > w->largest_kb) w->largest_kb = s.st_size >> 10;
		close(w->files[i]);
	}
	w->count = 0;
	measure(w);
}
bool is_short(const struct watch *w, long room_kb, long files, long memory_kb, char *why, size_t why_size)
{
	if (access(w->folder, W_OK)) snprintf(why, why_size, "the work folder %s cannot be written: %s", w->folder, strerror(errno));
	else if (w->least_room_kb < room_kb) snprintf(why, why_size, "%ld kB are free in %s, and a grading needs %d MB: make room there", w->least_room_kb, w->folder, NEEDED_ROOM_KB >> 10);
	else if (w->least_files < files) snprintf(why, why_size, "%ld more files fit in the file system of %s, and a grading needs %d: remove some there", w->least_files, w->folder, NEEDED_FILES);
	else if (w->least_memory_kb < memory_kb) snprintf(why, why_size, "%ld MB of the machine's memory are free, and a grading needs %d MB: end what takes it", w->least_memory_kb >> 10, NEEDED_MEMORY_KB >> 10);
	else if (oom_kills() != w->oom_before) snprintf(why, why_size, "the machine ran out of memory and killed a process");
	else return false;
	return true;
}
