"""What an answer may not do is named; what it may ask for in vain does no harm."""

import pytest

from grading.pipeline import Options, grade_source
from grading.result import Verdict
from kernels.catalog import get_kernel

DOT = get_kernel("dot_f32")
SUM = "double s = 0; for (size_t i = 0; i < n; i++) s += (double)a[i] * b[i]; return s;"

SYSCALL = "#include <sched.h>\n#include <signal.h>\n#include <sys/syscall.h>\n#include <unistd.h>"
LOCK = "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"


def graded(head: str, statement: str, sandbox):
    source = f"{head}\nfloat dot_f32(const float *a, const float *b, size_t n) {{ {statement} {SUM} }}"
    return grade_source(source, DOT, sandbox, Options(size=100_000, rounds=3, processes=1))


@pytest.mark.parametrize(
    ("head", "statement", "words"),
    [
        ("#include <x86intrin.h>", "volatile unsigned long t = __rdtsc(); (void)t;", "reads the time stamp counter (rdtsc"),
        ("#include <x86intrin.h>", "unsigned c; volatile long t = __rdtscp(&c); (void)t;", "reads the time stamp counter"),
        ("#include <time.h>", "struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);", "reads a clock (clock_gettime)"),
        ("#include <time.h>", "struct timespec t; clock_gettime(CLOCK_MONOTONIC_COARSE, &t);", "reads a clock (clock_gettime)"),
        ("#include <time.h>", "struct timespec t; clock_gettime(CLOCK_REALTIME_COARSE, &t);", "reads a clock (clock_gettime)"),
        ("#include <time.h>", "time(0);", "reads a clock (time)"),
        ("#include <sys/time.h>", "struct timeval t; gettimeofday(&t, 0);", "reads a clock (gettimeofday)"),
        ("#include <unistd.h>", "usleep(1);", "sleeps (clock_nanosleep)"),
        (SYSCALL, "syscall(SYS_clone, CLONE_THREAD | CLONE_VM | CLONE_SIGHAND, 0, 0, 0, 0);", "starts a thread (clone)"),
        (SYSCALL, "syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);", "starts a thread or a process (clone)"),
        (SYSCALL, "syscall(SYS_clone3, (void *)8, 64);", "starts a thread or a process (clone3)"),
        (LOCK, "if (n == 7) pthread_mutex_lock(&m), pthread_mutex_lock(&m);", "waits for another thread"),
    ],
)
def test_the_detail_names_what_was_refused(head, statement, words, local_sandbox):
    if "x86" in head and local_sandbox.arch != "amd64":
        pytest.skip("is amd64 code")
    result = graded(head, statement, local_sandbox)
    assert result.verdict is (Verdict.EXTRA_THREAD if "starts a thread" in words else Verdict.RUNTIME_ERROR)
    assert words.lower() in result.detail.lower()
    assert "small test" in result.detail


@pytest.mark.parametrize(
    "statement",
    [
        "*(volatile int *)8 = 1;",
        "((void (*)(void))0x10)();",
        '__asm__ volatile("mov %%rsp, %%rax\\n xor %%esp, %%esp\\n push %%rax" ::: "rax");',
        "volatile char *p = (char *)0x8000000000000000; *p = 1;",
        '__asm__ volatile("hlt");',
    ],
)
def test_other_faults_are_named_by_their_signal_as_before(statement, local_sandbox):
    if "asm" in statement and local_sandbox.arch != "amd64":
        pytest.skip("is amd64 code")
    result = graded("", statement, local_sandbox)
    assert result.verdict is Verdict.RUNTIME_ERROR
    assert result.detail.startswith("Killed by SIGSEGV")


def test_the_kernels_page_of_clocks_is_not_there(local_sandbox):
    result = graded("#include <sys/auxv.h>", "if (getauxval(AT_SYSINFO_EHDR)) abort();", local_sandbox)
    assert result.verdict is Verdict.PASSED, result.detail
    assert "hidden_clocks" not in result.log["run"]


def test_calls_without_effect_fail_quietly(local_sandbox):
    head = """
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <threads.h>
#include <unistd.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static int made;
static void make(void) { made++; }
static void need(int is_true) { if (!is_true) abort(); }
"""
    statement = """
    pthread_once(&once, make);
    call_once(&flag, make);
    need(made == 2);
    need(sysconf(_SC_NPROCESSORS_ONLN) >= 1 && sysconf(_SC_PAGESIZE) >= 4096);
    cpu_set_t cores;
    need(!sched_getaffinity(0, sizeof cores, &cores) && CPU_COUNT(&cores) >= 1);
    need(getppid() == 0 && !sched_yield());
    static char page[8192] __attribute__((aligned(4096)));
    need(mlock(page, 4096) == -1 && errno == EPERM);
    need(mincore(page, 4096, (unsigned char *)&cores) == -1);
    need(madvise((void *)a, 4096, MADV_DONTNEED) == -1);
    need(!fopen("/missing", "r") && errno == ENOENT && !fopen("/etc/passwd", "r") && !fopen("/proc/self/maps", "r"));
    struct stat found;
    need(stat("/etc/passwd", &found) == -1 && errno == ENOENT && fstat(1, &found) == -1 && errno == EBADF);
    need(open("/dev/shm/x", O_CREAT | O_RDWR, 0600) == -1 && dup(3) == -1 && fcntl(3, F_GETFL) == -1 && close(3) == -1);
    """
    result = graded(head, statement, local_sandbox)
    assert result.verdict is Verdict.PASSED, result.detail
