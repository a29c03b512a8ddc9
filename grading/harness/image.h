/* The linked program of an answer, as the kernel maps it. */
#ifndef IMAGE_H
#define IMAGE_H
#include <stdbool.h>
#include <stdint.h>

struct image {
	uint64_t read_only_bytes;      /* of all segments that are not writable: code, constants, unwind tables */
	uint64_t segments;             /* how many are mapped: each may end within a page */
};
/* false: the file cannot be read, or is no ELF64 program, little endian */
bool read_image(const char *path, struct image *image);
/* What `own` maps read-only beyond `empty`, which has the same stub and libc and no answer; never wraps. */
uint64_t own_read_only_bytes(const struct image *own, const struct image *empty);
#endif
