/* The size of a linked program, whatever its headers say: the sum of its read-only segments, as arithmetic without overflow makes it. */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>

#include "image.h"

typedef unsigned __int128 wide;

static uint64_t capped(wide sum) { return sum >> 64 ? UINT64_MAX : (uint64_t)sum; }
static bool expected(const uint8_t *data, size_t size, wide *read_only, uint64_t *segments)
{
	Elf64_Ehdr head;
	*read_only = *segments = 0;
	if (size < sizeof head) return false;
	memcpy(&head, data, sizeof head);
	if (memcmp(head.e_ident, "\x7f" "ELF\2\1", 6) || head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phnum == 65535) return false;
	for (size_t i = 0; i < head.e_phnum; i++) {
		Elf64_Phdr p;
		wide at = (wide)head.e_phoff + i * sizeof p;
		if (at + sizeof p > size) return false;
		memcpy(&p, data + (size_t)at, sizeof p);
		if (p.p_type != PT_LOAD) continue;
		(*segments)++;
		if (!(p.p_flags & PF_W)) *read_only += p.p_memsz;
	}
	return *segments > 0;
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int file = -1;
	static char path[100];
	static const struct image none;
	struct image image;
	wide read_only;
	uint64_t segments;
	if (file < 0) {
		snprintf(path, sizeof path, "%s/image-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
		if ((file = mkstemp(path)) < 0) abort();
	}
	if (ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size) abort();
	bool wanted = expected(data, size, &read_only, &segments);
	if (read_image(path, &image) != wanted) abort();
	if (!wanted) return 0;
	if (image.read_only_bytes != capped(read_only) || image.segments != segments) abort();
	if (own_read_only_bytes(&image, &image) != 0 || own_read_only_bytes(&none, &image) != 0) abort();
	if (own_read_only_bytes(&image, &none) != capped((wide)image.read_only_bytes + (wide)segments * 4096)) abort();
	return 0;
}
