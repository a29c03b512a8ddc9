/* Random inputs at memory speed: eight xoshiro256++ generators side by side, seeded by the judge's own, for kernels whose inputs are hundreds of
   megabytes a repetition.  Only for the judge's side of a bench.c.
   Source: D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators", https://prng.di.unimi.it/xoshiro256plusplus.c */
#ifndef BULK_RANDOM_H
#define BULK_RANDOM_H
#include "kernel.h"
#include <string.h>

typedef uint64_t bulk_words __attribute__((vector_size(64)));

struct bulk_random {
	bulk_words state[4];
};

static inline void bulk_seed(struct bulk_random *generator)
{
	for (size_t word = 0; word < 4; word++)
		for (size_t lane = 0; lane < 8; lane++)
			generator->state[word][lane] = kernel_random();
}

static inline void bulk_next(struct bulk_random *generator, bulk_words *result)
{
	bulk_words *s = generator->state;
	const bulk_words sum = s[0] + s[3], shifted = s[1] << 17;
	*result = (sum << 23 | sum >> 41) + s[0];
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = s[3] << 45 | s[3] >> 19;
}

/* Random bytes, `bytes` of them, at any address. */
static inline void bulk_bytes(struct bulk_random *generator, void *to, size_t bytes)
{
	unsigned char *at = to;
	bulk_words words;
	for (; bytes >= sizeof words; at += sizeof words, bytes -= sizeof words) {
		bulk_next(generator, &words);
		memcpy(at, &words, sizeof words);
	}
	bulk_next(generator, &words);
	memcpy(at, &words, bytes);
}

/* Floats uniform in [-1, 1), multiples of 2^-24, at any address. */
static inline void bulk_floats(struct bulk_random *generator, void *to, size_t count)
{
	typedef int32_t ints __attribute__((vector_size(64)));
	typedef float floats __attribute__((vector_size(64)));
	unsigned char *at = to;
	size_t bytes = count * sizeof(float);
	while (bytes > 0) {
		bulk_words words;
		bulk_next(generator, &words);
		const floats values = __builtin_convertvector((ints)words >> 7, floats) * 0x1p-24f;
		const size_t now = bytes < sizeof values ? bytes : sizeof values;
		memcpy(at, &values, now);
		at += now;
		bytes -= now;
	}
}

#endif
