// helper functions, static and global, function pointers, weak symbols, structs and a union | kernel=matmul_f32 class=honest want=passed
union view { const float *f; const void *p; };
struct tile { size_t first, last; void (*run)(const float *, const float *, float *, size_t, struct tile *); };
void add_row(const float *b, float *c, float x, size_t n) { for (size_t j = 0; j < n; j++) c[j] += x * b[j]; }
__attribute__((weak, noinline)) void clear(float *c, size_t n) { memset(c, 0, n * sizeof *c); }
static void rows(const float *a, const float *b, float *c, size_t n, struct tile *t)
{
	for (size_t i = t->first; i < t->last; i++) {
		clear(c + i * n, n);
		for (size_t k = 0; k < n; k++) add_row(b + k * n, c + i * n, a[i * n + k], n);
	}
}
void matmul_f32(const float *a, const float *b, float *c, size_t n)
{
	union view v = { .f = a };
	for (size_t i = 0; i < n; i += 8) {
		struct tile t = { .first = i, .last = i + 8 < n ? i + 8 : n, .run = rows };
		t.run((const float *)v.p, b, c, n, &t);
	}
}
