// helpers named like the harness's own | kernel=dot_f32 class=honest want=passed
int filter, base[4], early_, map, kernel; static int control; char *environ_mine; double y0_, j1v; int main_(void){return 0;}
void early(void){} void tell(int x){(void)x;} float kernel_call(float x){return x;} int log_(void){return 0;}
void *memset_(void*p){return p;} int optind; int read_only; void stub_entry(void){} 
float dot_f32(const float *a, const float *b, size_t n) { early(); tell(1);
	float t = 0;
	for (size_t i = 0; i < n; i++) t+=kernel_call(a[i])*b[i]; control=1;
	return t;
}
