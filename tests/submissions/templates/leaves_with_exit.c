// verdict: runtime_error | the process ends in the call, after the result is there
#include <stdlib.h>
@RIGHT@
@SIGNATURE@
{
	@KEEP@right(@ARGS@);
	_Exit(0);
	@GIVE@
}
