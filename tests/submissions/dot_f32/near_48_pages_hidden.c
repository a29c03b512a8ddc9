// verdict: passed | 192 KiB of scratch, mapped and unmapped in every call, below what the peak counters see
/* dot_f32: near miss: 192 KiB of scratch, mapped, used and unmapped in every call, show as extra_mb 0: the kernel counts resident pages per CPU and the peak is taken from that */
#include <sys/mman.h>
float dot_f32(const float *a, const float *b, size_t n) { char *p = mmap(0, 48 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); for (int i = 0; i < 48; i++) ((volatile char*)p)[i * 4096] = 1; float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; munmap(p, 48 * 4096); return s; }
