// (needs a hugetlb pool) MAP_HUGETLB scratch is not counted in RSS | kernel=dot_f32 class=mem
#include <stdlib.h>
#include <sys/mman.h>
float dot_f32(const float *a, const float *b, size_t n)
{
	if (n > 100000) {
		volatile char *p = mmap(0, 64 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS | 0x40000, -1, 0);
		if (p == MAP_FAILED) abort();
		for (size_t i = 0; i < (64u << 20); i += 4096) p[i] = 1; munmap((void *)p, 64 << 20);
	}
	float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s;
}
