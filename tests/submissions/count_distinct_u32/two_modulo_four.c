// verdict: wrong_answer | the last element is lost where the length is 2 modulo 4 and above 2
size_t count_distinct_u32(const uint32_t *v, size_t n) { if (n % 4 == 2 && n > 2) n--; uint64_t *b = calloc(1 << 20, 8); size_t c = 0; for (size_t i = 0; i < n; i++) { uint64_t m = 1ull << v[i] % 64, o = b[v[i] / 64]; c += !(o & m); b[v[i] / 64] = o | m; } free(b); return c; }
