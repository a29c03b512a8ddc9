/* What the calls of calls.txt use. */
#define _GNU_SOURCE
#include <aio.h>
#include <arpa/inet.h>
#include <complex.h>
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <fmtmsg.h>
#include <fnmatch.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <inttypes.h>
#include <langinfo.h>
#include <libgen.h>
#include <locale.h>
#include <math.h>
#include <monetary.h>
#include <mqueue.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <nl_types.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <syslog.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <uchar.h>
#include <ulimit.h>
#include <unistd.h>
#include <utime.h>
#include <utmpx.h>
#include <wchar.h>
#include <wctype.h>
#include <wordexp.h>
#include <err.h>
#include <error.h>
#include <execinfo.h>
#include <link.h>
#include <malloc.h>
#include <ucontext.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/un.h>
static char buffer[8192] = "abc", name_buffer[L_tmpnam + 1], state_buffer[64], wide_text[1000];
static wchar_t wide[1000] = L"abc";
static char *words[] = { "abc", 0 };
static va_list no_arguments;
static void nothing(void) {}
static void *thread(void *x) { return x; }
static int thread11(void *x) { return x != 0; }
static int order(const void *a, const void *b) { return *(const unsigned char *)a - *(const unsigned char *)b; }
static int phdr(struct dl_phdr_info *i, size_t n, void *x) { return (void)i, (void)n, x != 0; }
static locale_t c_locale(void) { return newlocale(LC_ALL_MASK, "C", 0); }
static pthread_key_t thread_key(void) { pthread_key_t k = 0; pthread_key_create(&k, 0); return k; }
static void *page(void) { return mmap(0, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static void *readdir_of(DIR *d) { return d ? readdir(d) : 0; }
