// headers without use | kernel=dot_f32 class=honest want=passed arch=amd64
#include <threads.h>
#include <pthread.h>
#include <sys/mman.h>
#include <immintrin.h>
#include <x86intrin.h>
#include <omp.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
#include <sys/resource.h>
#include <stdalign.h>
#include <tgmath.h>
#include <wchar.h>
#include <linux/types.h>
#include <arpa/inet.h>
float dot_f32(const float *a, const float *b, size_t n)
{
	float t = 0;
	for (size_t i = 0; i < n; i++) t+=a[i]*b[i];
	return t;
}
