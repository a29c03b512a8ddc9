/* The inputs of one timed call, as the judge would make them. */
#ifndef CASE_H
#define CASE_H
#include <stdio.h>
#include <stdlib.h>

#include "judge.h"

noreturn void fault(const char *what)
{
	perror(what);
	exit(1);
}
static inline struct kernel_case timed_case(size_t size)
{
	struct kernel_case c = { 0 };
	kernel.shape_bench(size, 0, &c);
	for (int i = 0; i < KERNEL_INPUTS; i++) c.in[i] = malloc(c.in_bytes[i] + 64);
	c.want = malloc(c.want_bytes + 64);
	kernel.fill(&c);
	return c;
}
static inline void free_case(struct kernel_case *c)
{
	for (int i = 0; i < KERNEL_INPUTS; i++) free(c->in[i]);
	free(c->want);
}
#endif
