// unmask the SSE inexact exception: the first rounded add in the reference traps, handler burns 5 ms | kernel=dot_f32 class=slowref
#define _GNU_SOURCE
#include <signal.h>
#include <time.h>
#include <ucontext.h>
#include <immintrin.h>
static void h(int s, siginfo_t *i, void *u)
{
	struct timespec t, w; clock_gettime(CLOCK_MONOTONIC, &t);
	do clock_gettime(CLOCK_MONOTONIC, &w); while ((w.tv_sec - t.tv_sec) * 1000000000L + (w.tv_nsec - t.tv_nsec) < 5000000L);
	((ucontext_t *)u)->uc_mcontext.fpregs->mxcsr = 0x1f80;
}
float dot_f32(const float *a, const float *b, size_t n)
{
	float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i];
	if (n > 100000) { struct sigaction sa = { .sa_sigaction = h, .sa_flags = SA_SIGINFO | SA_NODEFER }; sigaction(SIGFPE, &sa, 0); _mm_setcsr(0x1f80 & ~0x1000); }
	return s;
}
