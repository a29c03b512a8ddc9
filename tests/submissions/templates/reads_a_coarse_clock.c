// verdict: runtime_error | a coarse clock is read in the call
#include <time.h>
@RIGHT@
@SIGNATURE@
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	@KEEP@right(@ARGS@);
	@GIVE@
}
