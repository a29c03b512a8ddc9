/* The inspection of an object, whatever its bytes: it ends, reads nothing beside them, and finds one of the verdicts that it may find. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inspect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const verdicts[] = { "compile_error", "forbidden", "extra_thread" };
	struct inspection found, again;
	inspect_bytes(data, size, "dot_f32", &found);
	bool known = !found.verdict;
	for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) known |= found.verdict && !strcmp(found.verdict, verdicts[i]);
	if (!known || !memchr(found.detail, 0, sizeof found.detail) || !found.verdict != !found.detail[0]) abort();
	inspect_bytes(data, size, "dot_f32", &again);
	if (memcmp(&found, &again, sizeof found)) abort();
	return 0;
}
