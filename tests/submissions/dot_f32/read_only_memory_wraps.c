// verdict: memory_limit | 16 MiB of constants, and two sections without effect whose sizes would wrap a sum round to 0
/* dot_f32: false low memory. 16 MiB of read-only table (over the limit of 4 MiB four times) are charged as 0: two sections that the linker leaves out have sizes that make
   the inspection's sum of read-only bytes wrap round to 0. */
__asm__(".section .rodata\n.globl big\nbig: .fill 16777216,1,1\n"
	".section .foo,\"ae\",@nobits\n.skip 0x7fffffffff800000\n.section .bar,\"ae\",@nobits\n.skip 0x7fffffffff800000\n.text");
extern const uint8_t big[16777216];
float dot_f32(const float *a, const float *b, size_t n)
{
	float s = 0;
	size_t wrong = 0;
	for (size_t i = 0; i < sizeof big; i += 4096) wrong += ((volatile const uint8_t *)big)[i] != 1;
	for (size_t i = 0; i < n; i++) s += a[i] * b[i];
	return s + wrong;
}
