// a helper process thrashes the shared L3 and memory bus only while the reference runs | kernel=prefix_sum_i64 class=slowref
#include <stdlib.h>
#include <unistd.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <immintrin.h>
long syscall(long, ...);
static void pin_(int c) { unsigned long m = 1ul << c; syscall(203 /* sched_setaffinity */, 0, 8, &m); }
static volatile int *sh;
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)
{
	if (n > 100000 && !sh) {
		sh = mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (!fork()) { pin_(1); prctl(PR_SET_PDEATHSIG, SIGKILL); size_t z = 256 << 20; char *p = mmap(0, z, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0); __m512i v = _mm512_set1_epi8(1);
			for (size_t i = 0;; i = (i + 64) & (z - 1)) if (*sh) _mm512_stream_si512((__m512i *)(p + i), v); else __builtin_ia32_pause(); }
		pin_(0); usleep(100000);
	}
	if (sh) *sh = 0;
	int64_t s = 0; for (size_t i = 0; i < n; i++) { s += in[i]; out[i] = s; }
	if (sh) *sh = 1;
}
