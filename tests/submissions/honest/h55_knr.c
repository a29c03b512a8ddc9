// K&R definitions | kernel=dot_f32 class=honest want=passed
float mul(x,y) float x; float y; { return x*y; }
float dot_f32(a,b,n) const float *a; const float *b; size_t n; { float t=0;
	for (size_t i = 0; i < n; i++) t+=a[i]*b[i];
	return t;
}
