// 3 MB next to what the harness reads before it counts: mapped with it, they did not count | kernel=dot_f32 class=mem want=memory_limit arch=amd64
__asm__(".section .got,\"aw\"\nmine: .fill 3000000,1,7\n.text");
float dot_f32(const float *a, const float *b, size_t n) { char*p; __asm__("movabs $mine,%0":"=r"(p)); for(int i=0;i<3000000;i+=4096) p[i]++; float t=0; for(size_t i=0;i<n;i++) t+=a[i]*b[i]; return t; }
