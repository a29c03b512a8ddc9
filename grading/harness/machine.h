/* What the machine has left, by its own word: what decides whose fault a failure is, since what a compiler prints can be written by an answer. */
#ifndef MACHINE_H
#define MACHINE_H
#include <stdbool.h>
#include <sys/types.h>

/* Processes that were killed for want of memory since the machine started; -1 where the system does not count them. */
long oom_kills(void);

/* What a build step found and left.  Looked at every few milliseconds while it runs, since another process may free in the next moment what it had filled. */
struct watch {
	const char *folder;
	long least_room_kb, least_files, least_memory_kb;      /* free in the folder (room, and files that may still be made) and of memory; LONG_MAX: not known */
	long oom_before;
	long largest_kb;               /* of the files that were seen in the folder, deleted ones too: valid after watch_end() */
	int files[16], count;
	ino_t seen[16];
	long looked_us;
};
void watch_begin(struct watch *w, const char *folder);
void watch_look(struct watch *w);
void watch_end(struct watch *w);

/* Less than this before a grading, and it does not begin.  All that the limits of a build step allow (an assembler file, an object, the object with local symbols, the
   program: grade.c holds the sum against it) still leaves the floor, so an answer cannot bring its own grading below the floor. */
enum { NEEDED_ROOM_KB = 256 << 10, NEEDED_FILES = 64, NEEDED_MEMORY_KB = 256 << 10 };
/* Less than this at any look, and whatever failed meanwhile is the machine's fault. */
enum { FLOOR_ROOM_KB = 16 << 10, FLOOR_FILES = 16, FLOOR_MEMORY_KB = 32 << 10 };

/* What is short, for the operator: how much is free where, how much is needed. False: nothing is. */
bool is_short(const struct watch *w, long room_kb, long files, long memory_kb, char *why, size_t why_size);
#endif
