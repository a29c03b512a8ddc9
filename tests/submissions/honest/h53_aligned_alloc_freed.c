// 3 MiB by aligned_alloc, freed in every call | kernel=dot_f32 class=honest want=passed
float dot_f32(const float *a, const float *b, size_t n)
{
	char *scratch = aligned_alloc(64, 3 << 20);
	if (!scratch) abort();
	memset(scratch, 1, 3 << 20);
	asm volatile("" :: "r"(scratch) : "memory");
	float s = 0;
	for (size_t i = 0; i < n; i++) s += a[i] * b[i];
	free(scratch);
	return s;
}
