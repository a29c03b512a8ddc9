// GCC vector extensions, statement expressions, nested and designated things, computed goto | kernel=transpose_f32 class=honest want=passed
typedef float v4 __attribute__((vector_size(16), aligned(4)));
void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	static const void *const next[] = { [0] = &&blocks, [1] = &&rest };
	size_t r4 = rows & ~(size_t)3, c4 = cols & ~(size_t)3;
	goto *next[r4 == 0 || c4 == 0];
blocks:
	for (size_t c = 0; c < c4; c += 4)
		for (size_t r = 0; r < r4; r += 4) {
			v4 a[4];
			for (int k = 0; k < 4; k++) a[k] = *(const v4 *)(in + (r + (size_t)k) * cols + c);
			for (int k = 0; k < 4; k++) *(v4 *)(out + (c + (size_t)k) * rows + r) = (v4){ a[0][k], a[1][k], a[2][k], a[3][k] };
		}
rest:
	if (r4 == 0 || c4 == 0) r4 = c4 = 0;
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < cols; c++)
			if (r >= r4 || c >= c4) out[c * rows + r] = in[r * cols + c];
}
