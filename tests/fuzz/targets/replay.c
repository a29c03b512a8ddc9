/* The files named, each once through a target: what is found stays found without a fuzzer. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		if (!f || fseek(f, 0, SEEK_END)) return perror(argv[i]), 2;
		long size = ftell(f);
		rewind(f);
		uint8_t *data = malloc(size ? size : 1);       /* of just that size, so that a byte too far is seen */
		if (!data || fread(data, 1, size, f) != (size_t)size) return perror(argv[i]), 2;
		fclose(f);
		fprintf(stderr, "%s\n", argv[i]);
		LLVMFuzzerTestOneInput(data, size);
		free(data);
	}
	return 0;
}
