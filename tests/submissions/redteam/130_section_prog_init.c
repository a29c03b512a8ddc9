// code placed into .init by an assembler section directive | kernel=dot_f32 class=neg want=forbidden
asm(".section .init,\"ax\",@progbits\n nop\n .text\n");
float dot_f32(const float *a, const float *b, size_t n) { float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
