// includes the pipe its own messages go to, and waits for it | kernel=dot_f32 class=dos want=compile_error
#include "/proc/self/fd/1"
