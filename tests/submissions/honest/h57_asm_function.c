// the whole function in file-scope asm | kernel=dot_f32 class=honest want=passed arch=amd64
__asm__(".text\n.globl dot_f32\n.type dot_f32,@function\ndot_f32:\n vxorps %xmm0,%xmm0,%xmm0\n test %rdx,%rdx\n jz 2f\n1: vmovss (%rdi),%xmm1\n vmulss (%rsi),%xmm1,%xmm1\n vaddss %xmm1,%xmm0,%xmm0\n add $4,%rdi\n add $4,%rsi\n dec %rdx\n jnz 1b\n2: ret\n.size dot_f32,.-dot_f32");
