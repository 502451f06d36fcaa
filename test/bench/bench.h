/*  bench - what benches share: a clock that counts our own work, medians, and one way to report.
 *
 *  A bench puts figures under a row and a column. At its end they are printed as one table and,
 *  with --json FILE, written to that file together with the machine that they were measured on. */
#ifndef MUSUBI_BENCH_H
#define MUSUBI_BENCH_H

#include <stddef.h>
#include <stdint.h>

enum { BENCH_RUNS = 5 };

typedef struct bench bench_t;

/*  Reads --json FILE and --help. Ends the program on any other option, except those that the bench
 *  asks for with bench_option. */
bench_t *bench_new (int argc, char **argv, const char *name, const char *purpose);

/*  The argument of an option such as "--bookings-max", or the fallback. Ask for all options before
 *  bench_begin. */
int64_t bench_option (bench_t *self, const char *option, int64_t fallback);

/*  To be called when all options have been asked for. */
void bench_begin (bench_t *self);

/*  Adds a figure. Rows and columns are listed in the order of their first figure. */
void bench_put (bench_t *self, const char *row, const char *column, double value);

/*  Adds a sentence about the figures, printed below the table. */
void bench_note (bench_t *self, const char *note);

/*  Print, write, and free. Returns the program's exit status. */
int bench_end (bench_t **self_p);

/*  Processor time of this thread, and wall time, in nanoseconds. */
double bench_cpu_ns (void);
double bench_wall_ns (void);

/*  Both sort the samples; a share of .99 gives the 99th percentile. */
double bench_median (double *samples, size_t count);
double bench_percentile (double *samples, size_t count, double share);

/*  The present moment, UTC, in the form that requests use. */
int64_t bench_wall_ms (void);

/*  Ends the program because nothing can be measured. */
void bench_fail (const char *what) __attribute__ ((noreturn));

/*  Median, over BENCH_RUNS runs, of the processor time of one operation in nanoseconds. `work` does
 *  that many operations; it returns a sum, which is kept so that the compiler can't leave out the
 *  work. */
double bench_ns (uint64_t (*work) (void *subject, uint32_t operations), void *subject,
                 uint32_t operations);

#endif
