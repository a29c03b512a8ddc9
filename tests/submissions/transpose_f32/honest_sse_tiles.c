// verdict: passed | tiles of 4 x 4 by _MM_TRANSPOSE4_PS
// arch: amd64
#include <xmmintrin.h>

void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	const size_t whole_rows = rows - rows % 4, whole_cols = cols - cols % 4;
	for (size_t r = 0; r < whole_rows; r += 4)
		for (size_t c = 0; c < whole_cols; c += 4) {
			__m128 a = _mm_loadu_ps(in + r * cols + c), b = _mm_loadu_ps(in + (r + 1) * cols + c);
			__m128 d = _mm_loadu_ps(in + (r + 2) * cols + c), e = _mm_loadu_ps(in + (r + 3) * cols + c);
			_MM_TRANSPOSE4_PS(a, b, d, e);
			_mm_storeu_ps(out + c * rows + r, a);
			_mm_storeu_ps(out + (c + 1) * rows + r, b);
			_mm_storeu_ps(out + (c + 2) * rows + r, d);
			_mm_storeu_ps(out + (c + 3) * rows + r, e);
		}
	for (size_t r = 0; r < rows; r++)
		for (size_t c = r < whole_rows ? whole_cols : 0; c < cols; c++)
			out[c * rows + r] = in[r * cols + c];
}
