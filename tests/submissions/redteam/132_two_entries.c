// the entry is only declared, and a static function of another name exists | kernel=dot_f32 class=neg want=forbidden
static float dot_f32_(const float *a, const float *b, size_t n) { return a[0] * b[0] * n; } float (*volatile keep)(const float *, const float *, size_t) = dot_f32_;
