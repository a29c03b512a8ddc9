/* The filling of the pages around an output: a keyed stream, so that whoever overwrites it cannot put it back.

   What is written there must be kept somewhere to be restored, and wherever that is, it counts as memory.  A pattern, or a generator whose state
   follows from what it gives, would be continued by the answer.  So it is ChaCha (Bernstein 2008) with 8 rounds: a key that never leaves the judge,
   a nonce for every call, a counter for every block.  Lanes are computed side by side and stored as they lie: the order of words within a piece is
   another one than RFC 8439's, which changes nothing here. */
#include <string.h>
#include <sys/random.h>

#include "judge.h"

enum { LANES = 16, WORDS = 16, KEY_WORDS = 8, DOUBLE_ROUNDS = 4, PIECE = LANES * WORDS * 4 };
typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));
static uint32_t key[KEY_WORDS];

void stream_key(void)
{
	if (getrandom(key, sizeof key, 0) != sizeof key) fault("getrandom");
}
static inline lanes rotated(lanes v, int by) { return v << by | v >> (32 - by); }
static inline void quarter(lanes *x, int a, int b, int c, int d)
{
	x[a] += x[b], x[d] = rotated(x[d] ^ x[a], 16);
	x[c] += x[d], x[b] = rotated(x[b] ^ x[c], 12);
	x[a] += x[b], x[d] = rotated(x[d] ^ x[a], 8);
	x[c] += x[d], x[b] = rotated(x[b] ^ x[c], 7);
}
/* piece number `at` of the stream of one call */
static void make_piece(uint64_t nonce, uint64_t at, unsigned char *piece)
{
	static const uint32_t constants[4] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 };      /* "expand 32-byte k" */
	lanes start[WORDS], x[WORDS], lane;
	for (int i = 0; i < LANES; i++) lane[i] = i;
	for (int i = 0; i < 4; i++) start[i] = (lanes){ 0 } + constants[i];
	for (int i = 0; i < KEY_WORDS; i++) start[4 + i] = (lanes){ 0 } + key[i];
	start[12] = lane + (uint32_t)(at * LANES);
	start[13] = (lanes){ 0 } + (uint32_t)(at * LANES >> 32);
	start[14] = (lanes){ 0 } + (uint32_t)nonce;
	start[15] = (lanes){ 0 } + (uint32_t)(nonce >> 32);
	memcpy(x, start, sizeof x);
	for (int r = 0; r < DOUBLE_ROUNDS; r++) {
		for (int i = 0; i < 4; i++) quarter(x, i, 4 + i, 8 + i, 12 + i);
		for (int i = 0; i < 4; i++) quarter(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
	}
	for (int i = 0; i < WORDS; i++) x[i] += start[i];
	memcpy(piece, x, PIECE);
}
uint64_t stream_word(uint64_t nonce)
{
	unsigned char piece[PIECE];
	uint64_t word;
	make_piece(~nonce, 0, piece);                    /* of no call: their nonces count up from 0 */
	memcpy(&word, piece, sizeof word);
	return word;
}
/* The part of piece `at` that lies in [low, high), and where it begins in the piece. */
static size_t part(size_t at, size_t low, size_t high, size_t *skip)
{
	size_t begin = at * PIECE, end = begin + PIECE < high ? begin + PIECE : high;
	*skip = begin < low ? low - begin : 0;
	return end - begin - *skip;
}
void stream_fill(unsigned char *o, size_t low, size_t high, uint64_t nonce)
{
	unsigned char piece[PIECE];
	for (size_t at = low / PIECE, skip; low < high && at * PIECE < high; at++) {
		size_t bytes = part(at, low, high, &skip);
		make_piece(nonce, at, piece);
		memcpy(o + at * PIECE + skip, piece + skip, bytes);
	}
}
size_t stream_spoiled(const unsigned char *o, size_t low, size_t high, uint64_t nonce)
{
	unsigned char piece[PIECE];
	for (size_t at = low / PIECE, skip; low < high && at * PIECE < high; at++) {
		size_t bytes = part(at, low, high, &skip), from = at * PIECE + skip;
		make_piece(nonce, at, piece);
		if (!memcmp(o + from, piece + skip, bytes)) continue;
		while (o[from] == piece[from - at * PIECE]) from++;
		return from;
	}
	return high;
}
