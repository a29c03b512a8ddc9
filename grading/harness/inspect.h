/* Look at the object that the compiler made of an answer. */
#ifndef INSPECT_H
#define INSPECT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inspection {
	const char *verdict;           /* NULL: nothing to object to */
	char detail[300];
	uint64_t const_bytes;          /* the answer's own code and initialised data, by the sizes of its sections */
};
/* `data` is aligned to eight bytes, as malloc aligns. */
void inspect_bytes(const unsigned char *data, size_t size, const char *entry, struct inspection *r);
/* false: the file cannot be read (our fault) */
bool inspect_object(const char *path, const char *entry, struct inspection *r);
#endif
