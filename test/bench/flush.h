/*  flush - the machine's own durable write, measured beside figures that consist of such writes. */
#ifndef MUSUBI_BENCH_FLUSH_H
#define MUSUBI_BENCH_FLUSH_H

#define FLUSH_PROCESSES_MAX 64

/*  How long an LMDB commit of a small record takes, in seconds: the median over this many
 *  processes, each with a store of its own, that do nothing else at the same time. */
double flush_s (int processes, double seconds);

#endif
