// endless loop with SIGTERM ignored (must be killed and scored 0) | kernel=dot_f32 class=neg
#include <signal.h>
float dot_f32(const float *a, const float *b, size_t n) { signal(SIGTERM, SIG_IGN); for (;;); }
