/* How many pages a process may use and give back without its peak (VmHWM) showing them. */
#ifndef RESOLUTION_H
#define RESOLUTION_H
/* -1: the system has no peaks, or does not let them be reset. */
long hidden_pages_at_most(void);
#endif
