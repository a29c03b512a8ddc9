// complex arithmetic | kernel=mandel_count class=honest want=passed
#include <complex.h>
uint64_t mandel_count(double x0, double y0, double dx, double dy, size_t w, size_t h, uint32_t mi) { uint64_t c=0; for(size_t j=0;j<h;j++) for(size_t i=0;i<w;i++){ double complex k=(x0+i*dx)+(y0+j*dy)*I, z=0; uint32_t m=0; for(;m<mi;m++){ double x=creal(z),y=cimag(z); if(x*x+y*y>4) break; z=CMPLX(x*x-y*y+creal(k),2*x*y+cimag(k)); } c+=m==mi; } return c; }
