// inputs mprotected PROT_NONE after the answer: the reference pays a SIGSEGV per page | kernel=dot_f32 class=slowref
#include <signal.h>
#include <sys/mman.h>
static void h(int s, siginfo_t *i, void *u) { mprotect((void *)((uintptr_t)i->si_addr & ~4095ul), 4096, 3); }
float dot_f32(const float *a, const float *b, size_t n)
{
	float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i];
	if (n > 100000) {
		struct sigaction sa = { .sa_sigaction = h, .sa_flags = SA_SIGINFO | SA_NODEFER }; sigaction(SIGSEGV, &sa, 0);
		uintptr_t x = ((uintptr_t)a + 4095) & ~4095ul, y = ((uintptr_t)b + 4095) & ~4095ul;
		mprotect((void *)x, (n * 4 - 4096) & ~4095ul, 0); mprotect((void *)y, (n * 4 - 4096) & ~4095ul, 0);
	}
	return s;
}
