/* What the author is told of a refused system call: what it would have done, and its name. */
#ifndef REFUSALS_H
#define REFUSALS_H
#include <stddef.h>
#include <sys/syscall.h>

#include "proto.h"

struct refusal { long nr; const char *what, *name; };
#define CLOCK "reads a clock"
#define TIMER "sets a timer"
#define SLEEP "sleeps"
#define WAIT "waits for another thread, and there is none"
#define PROCESS "starts a thread or a process"
#define PROGRAM "starts a program"
#define SIGNAL "sends a signal"
#define SIGNALS "waits for a signal"
#define SHARE "makes memory that can be shared"
#define CALL(what, name) { SYS_##name, what, #name }
static const struct refusal refusals[] = {
#ifdef __x86_64__
	{ REFUSED_COUNTER - 1, "reads the time stamp counter", "rdtsc or one like it" },
#else
	{ REFUSED_COUNTER - 1, "reads the cycle counter", "cntvct_el0 or one like it" },
#endif
	{ REFUSED_THREAD - 1, "starts a thread", "clone" },
	CALL(CLOCK, clock_gettime), CALL(CLOCK, gettimeofday), CALL(CLOCK, times), CALL(CLOCK, getrusage), CALL(CLOCK, getitimer), CALL(CLOCK, timer_gettime), CALL(CLOCK, timerfd_gettime), CALL(CLOCK, adjtimex),
	CALL(CLOCK, clock_adjtime),
	CALL(TIMER, setitimer), CALL(TIMER, timer_create), CALL(TIMER, timer_settime), CALL(TIMER, timerfd_create), CALL(TIMER, timerfd_settime), CALL(TIMER, timer_getoverrun), CALL(TIMER, timer_delete),
	CALL(SLEEP, nanosleep), CALL(SLEEP, clock_nanosleep), CALL(SLEEP, ppoll), CALL(SLEEP, pselect6), CALL(SLEEP, epoll_pwait),
	CALL(WAIT, futex),
	CALL(SIGNALS, rt_sigsuspend), CALL(SIGNALS, rt_sigtimedwait),
	CALL(PROCESS, clone), CALL(PROCESS, clone3), CALL(PROGRAM, execve), CALL(PROGRAM, execveat),
	CALL(SIGNAL, kill), CALL(SIGNAL, tkill), CALL(SIGNAL, rt_sigqueueinfo), CALL(SIGNAL, rt_tgsigqueueinfo), CALL(SIGNAL, pidfd_send_signal),
	CALL(SHARE, mmap), CALL(SHARE, memfd_create), CALL("changes what its process may do", prctl), CALL("changes what its process may do", seccomp),
#ifdef __x86_64__
	CALL(CLOCK, time), CALL(TIMER, alarm), CALL(SLEEP, poll), CALL(SLEEP, select), CALL(SLEEP, epoll_wait), CALL(SIGNALS, pause), CALL(PROCESS, fork), CALL(PROCESS, vfork),
#endif
};
/* NULL: a call that computing code has no use for. */
static inline const struct refusal *refusal_of(long nr)
{
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		if (refusals[i].nr == nr) return &refusals[i];
	return NULL;
}
static inline bool starts_something(const struct refusal *r) { return r && !strncmp(r->what, PROCESS, sizeof "starts a thread" - 1); }
#endif
