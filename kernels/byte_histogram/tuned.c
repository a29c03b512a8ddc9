/* Counts runs instead of bytes: a byte that differs from the one before it starts a run, and each run is one addition of its length.

   Branches on where a run ends would be mispredicted once a run.  So every block of 64 bytes becomes a mask of its run starts, and their positions are
   written to a list without branching (a few more than there are, the surplus overwritten); the list is then added up. */
enum { BLOCK = 64, AT_ONCE = 4, LIST = 2048 };
typedef uint8_t bytes __attribute__((vector_size(BLOCK)));
typedef uint8_t unaligned_bytes __attribute__((vector_size(BLOCK), aligned(1), may_alias));
typedef uint64_t words __attribute__((vector_size(BLOCK)));
typedef uint8_t eight_bytes __attribute__((vector_size(8)));

#define BITS_OF_EIGHT 1, 2, 4, 8, 16, 32, 64, 128
static const bytes bit_of_byte = {BITS_OF_EIGHT, BITS_OF_EIGHT, BITS_OF_EIGHT, BITS_OF_EIGHT, BITS_OF_EIGHT, BITS_OF_EIGHT, BITS_OF_EIGHT, BITS_OF_EIGHT};

/* Bit i is set where at[i] differs from at[i - 1]. */
static inline uint64_t run_starts(const uint8_t *at)
{
	const bytes differs = (bytes)(*(const unaligned_bytes *)at != *(const unaligned_bytes *)(at - 1));
	words bits = (words)(differs & bit_of_byte);
	bits |= bits >> 32;
	bits |= bits >> 16;
	bits |= bits >> 8;
	const eight_bytes packed = __builtin_convertvector(bits, eight_bytes);
	uint64_t mask;
	memcpy(&mask, &packed, sizeof mask);
	return mask;
}

/* A list of run starts, and the run that is still open before the first of them. */
struct runs {
	size_t start;
	size_t found;
	size_t at[LIST + BLOCK];
};

static void add_up(struct runs *runs, const uint8_t *data, uint64_t *counts)
{
	size_t start = runs->start;
	for (size_t k = 0; k < runs->found; k++) {
		const size_t next = runs->at[k];
		counts[data[start]] += next - start;
		start = next;
	}
	runs->start = start;
	runs->found = 0;
}

void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])
{
	memset(counts, 0, 256 * sizeof counts[0]);
	if (n == 0)
		return;
	struct runs runs;
	runs.start = runs.found = 0;
	size_t i = 1;
	for (; i + BLOCK <= n; i += BLOCK) {
		uint64_t starts = run_starts(data + i);
		const size_t here = (size_t)__builtin_popcountll(starts);
		size_t *list = runs.at + runs.found;
		size_t done = 0;
		do {
			for (size_t k = 0; k < AT_ONCE; k++) {
				list[done + k] = i + (size_t)__builtin_ctzll(starts | UINT64_C(1) << 63);
				starts &= starts - 1;
			}
			done += AT_ONCE;
		} while (__builtin_expect(done < here, 0));
		runs.found += here;
		if (runs.found > LIST - BLOCK)
			add_up(&runs, data, counts);
	}
	for (; i < n; i++)
		if (data[i] != data[i - 1])
			runs.at[runs.found++] = i;
	runs.at[runs.found++] = n;
	add_up(&runs, data, counts);
}
