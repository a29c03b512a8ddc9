// a false __ehdr_start: 24 MB of writable data are touched before the memory is counted, and do not count afterwards | kernel=dot_f32 class=mem want=forbidden
#include <elf.h>
#define SIZE (24u << 20)
__attribute__((aligned(4096))) char scratch[SIZE] = { 1 };
struct fake { Elf64_Ehdr head; Elf64_Phdr program; };
__asm__(".globl __ehdr_start\n.type __ehdr_start,@gnu_unique_object\n.data\n.balign 64\n__ehdr_start:\n"
	".zero 32\n.quad 64\n.quad 0\n.long 0\n.short 64,56,1,0,0,0\n"
	".long 1,4\n.quad 0,scratch,scratch,0x1800000,0x1800000,4096\n.text");
float dot_f32(const float *a, const float *b, size_t n)
{
	float t = 0;
	for (size_t i = 0; i < n; i++) t += a[i] * b[i];
	if (n > 100000)
		for (size_t i = 0; i < SIZE; i += 4096) scratch[i] += 1;
	return t;
}
