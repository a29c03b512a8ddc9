// verdict: wrong_answer | leaves out the corner where neither rows nor columns fill a tile
void transpose_f32(const float *in, float *out, size_t rows, size_t cols)
{
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < cols; c++)
			if (r < rows - rows % 8 || c < cols - cols % 8)
				out[c * rows + r] = in[r * cols + c];
}
