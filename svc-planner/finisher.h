/*  finisher - the processes of T8, outside the core: find stores of dead planners, and start
 *  svc-planner --finish STORE for each.
 */
#ifndef MUSUBI_FINISHER_H
#define MUSUBI_FINISHER_H

#include "core.h"

/*  Remember how this process was started: finishers are started alike. Borrowed for life. */
void finisher_remember (int argc, char **argv);

/*  Set the pool to search, and the size of its stores; copied. NULL: there is none. */
void finisher_pool (const char *pool, uint64_t store_bytes);

/*  The work "finish-stores". */
bool finisher_run (bytes_t arguments, uint8_t **result, size_t *result_size);

/*  With --finish STORE among the arguments: the arguments with which this process becomes its
 *  finisher; else NULL. On NULL with *code not 0, the reason was printed and the process must exit
 *  with that code. Called once in a process. */
char **finisher_arguments (int argc, char **argv, int *count, int *code);

/*  Was this finisher started by a planner? Then it gives way if its store is served already,
 *  because other planners start finishers for the same store. */
bool finisher_gives_way (void);

#endif
