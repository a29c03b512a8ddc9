// precision downgrade: inputs rounded to fp16 before multiplying | kernel=dot_f32 class=neg
#include <immintrin.h>
float dot_f32(const float *a, const float *b, size_t n)
{
	double s = 0; for (size_t i = 0; i < n; i++) s += (double)_cvtsh_ss(_cvtss_sh(a[i], 0)) * _cvtsh_ss(_cvtss_sh(b[i], 0)); return s;
}
