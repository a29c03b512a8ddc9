// verdict: passed | a read-only section of 2^60 bytes is left out by the linker, so it is no memory
/* dot_f32: A read-only section of 2^60 bytes that the linker leaves out (flag e): its size goes to the judge as ro_kb, which is out of its range. */
__asm__(".section .foo,\"ae\",@nobits\n.skip 0x1000000000000000\n.text");
float dot_f32(const float *a, const float *b, size_t n) { float s = 0; for (size_t i = 0; i < n; i++) s += a[i] * b[i]; return s; }
