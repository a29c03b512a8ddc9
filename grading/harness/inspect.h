/* Look at the object that the compiler made of an answer. */
#ifndef INSPECT_H
#define INSPECT_H
#include <stdbool.h>
#include <stddef.h>

struct inspection {
	const char *verdict;           /* NULL: nothing to object to */
	char detail[300];
	long read_only_kb;             /* the answer's own read-only sections, code included */
};
/* false: the file cannot be read (our fault) */
bool inspect_object(const char *path, const char *entry, struct inspection *r);
#endif
