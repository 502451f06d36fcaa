/*  flush - the machine's own durable write, measured beside what is made of such writes. */
#ifndef MUSUBI_BENCH_FLUSH_H
#define MUSUBI_BENCH_FLUSH_H

#define FLUSH_PROCESSES_MAX 64

/*  How long an LMDB commit of a small record takes, in seconds: the median over so many processes
 *  that do nothing else at the same time, each in a store of its own. */
double flush_s (int processes, double seconds);

#endif
