// a main and helpers named like the stub's | kernel=prefix_sum_i64 class=honest want=passed
#include <stdio.h>
void early(void) { } void tell_and_wait(int x) { (void)x; } char filter[16]; int stub_entry;
void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n) { early(); filter[0]++; stub_entry++; int64_t s = 0; for (size_t i = 0; i < n; i++) { s += in[i]; out[i] = s; } }
int main(void) { int64_t a[3] = { 1, 2, 3 }, b[3]; prefix_sum_i64(a, b, 3); printf("%d\n", (int)b[2]); return 0; }
