// verdict: extra_thread | another process is started in the call
#include <unistd.h>
@RIGHT@
@SIGNATURE@
{
	if (fork() == 0)
		_exit(0);
	@KEEP@right(@ARGS@);
	@GIVE@
}
