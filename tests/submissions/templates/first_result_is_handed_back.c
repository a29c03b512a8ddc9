// verdict: wrong_answer | nothing is computed from the second call on: what the first one left is handed back
@RIGHT@
static int calls;
@KEPT@
@SIGNATURE@
{
	if (calls++ == 0) {
		@SET@right(@ARGS@);
	}
	@AGAIN@
}
