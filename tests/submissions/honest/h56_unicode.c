// identifiers outside of ASCII | kernel=dot_f32 class=honest want=passed
float dot_f32(const float *α, const float *β, size_t n) { float σ=0; /* Σ αᵢβᵢ */
	for (size_t i = 0; i < n; i++) σ+=α[i]*β[i]; return σ; }
