// verdict: wrong_answer | stops after 1000 iterations
static int in(double cx, double cy, uint32_t mi) { double q=(cx-.25)*(cx-.25)+cy*cy; if(mi&&(q*(q+cx-.25)<=.25*cy*cy*0.999999||(cx+1)*(cx+1)+cy*cy<=.06249999)) return 1; double x=0,y=0; for(uint32_t k=0;k<mi;k++){ if(x*x+y*y>4) return 0; double t=x*x-y*y+cx; y=2*x*y+cy; x=t;} return 1; }
uint64_t mandel_count(double x0, double y0, double dx, double dy, size_t w, size_t h, uint32_t mi) { uint64_t c=0; if (mi > 1000) mi = 1000; for(size_t j=0;j<h;j++) for(size_t i=0;i<w;i++) c+=in(x0+i*dx,y0+j*dy,mi); return c; }
