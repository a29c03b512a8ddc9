/* The program headers of a linked program: what the kernel will map of it, whatever sections an object claimed to have (image.h).

   The stub touches every read-only page before the memory's baseline is taken, so those are charged by their size.  An object's section headers
   are no measure of them: the linker leaves sections out, and their sizes are any 64-bit numbers.  Sums end at the largest number. */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "image.h"

enum { HEADERS_MAX = 65535, PAGE_BYTES = 4096 };

static uint64_t plus(uint64_t a, uint64_t b)
{
	uint64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}
static bool read_headers(int file, struct image *image)
{
	Elf64_Ehdr head;
	Elf64_Phdr p;
	if (pread(file, &head, sizeof head, 0) != sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG)) return false;
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_phentsize != sizeof p || head.e_phnum == HEADERS_MAX) return false;
	for (size_t i = 0; i < head.e_phnum; i++) {
		if (pread(file, &p, sizeof p, head.e_phoff + i * sizeof p) != sizeof p) return false;
		if (p.p_type != PT_LOAD) continue;
		image->segments++;
		if (!(p.p_flags & PF_W)) image->read_only_bytes = plus(image->read_only_bytes, p.p_memsz);
	}
	return image->segments > 0;
}
bool read_image(const char *path, struct image *image)
{
	memset(image, 0, sizeof *image);
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool is_read = file >= 0 && read_headers(file, image);
	if (file >= 0) close(file);
	return is_read;
}
static uint64_t beyond(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }
uint64_t own_read_only_bytes(const struct image *own, const struct image *empty)
{
	uint64_t more = beyond(own->segments, empty->segments);
	return plus(beyond(own->read_only_bytes, empty->read_only_bytes), more * PAGE_BYTES);
}
