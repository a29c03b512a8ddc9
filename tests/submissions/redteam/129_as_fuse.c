// touches 2 GB (the address space fuse is 1 GiB over the start) | kernel=dot_f32 class=mem
float dot_f32(const float *a, const float *b, size_t n) { if (n > 100000) { for (int k = 0; k < 32; k++) { char *p = malloc(64 << 20); if (!p) break; for (size_t i = 0; i < 64 << 20; i += 4096) ((volatile char *)p)[i] = 1; } } float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
