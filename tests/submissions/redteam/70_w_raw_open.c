// raw syscall instruction: open /etc/passwd | kernel=dot_f32 class=time
float dot_f32(const float *a, const float *b, size_t n)
{
	long r; asm volatile("syscall" : "=a"(r) : "0"(2), "D"("/etc/passwd"), "S"(0), "d"(0) : "rcx", "r11", "memory");
	return r >= 0 ? 1e9f : 0;
}
