/*  finisher - the processes behind T8, outside the core: looking for dead planners' stores, and
 *  starting svc-planner --finish STORE for each.
 */
#ifndef MUSUBI_FINISHER_H
#define MUSUBI_FINISHER_H

#include "core.h"

/*  How this process was started: a finisher is started alike. Borrowed for life. */
void finisher_remember (int argc, char **argv);

/*  The pool to look into, and the size of stores; copied. NULL: there is none. */
void finisher_pool (const char *pool, uint64_t store_bytes);

/*  The work "finish-stores". */
bool finisher_run (bytes_t arguments, uint8_t **result, size_t *result_size);

/*  With --finish STORE among the arguments: the arguments that make this process its finisher, once
 *  in its life; else NULL. On NULL with *code not 0, why was printed and the process must exit with
 *  it. */
char **finisher_arguments (int argc, char **argv, int *count, int *code);

/*  A planner started this finisher: others see the same store and start theirs, and the one that
 *  comes first does it. */
bool finisher_gives_way (void);

#endif
