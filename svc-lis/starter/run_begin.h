/*  run_begin - makes an order a running program: account, limits, folder, environment, files. */
#ifndef MUSUBI_RUN_BEGIN_H
#define MUSUBI_RUN_BEGIN_H

#include "node_work.h"

#include <sys/types.h>

/*  Returns the process of the program, which runs in a process group of its own; or -1 with why,
 *  and nothing runs. folder is the run's folder, path its whole path; the program writes to output.
 *  A process that lays folders out first tells *told if that fails, or the start after it. */
pid_t run_begin (const ticket_t *ticket, int folder, const char *path, int output, int *told,
                 char why [WHY_BYTES]);

/*  Has it told so, as far as it is over? */
bool run_begin_told (int told, char why [WHY_BYTES]);

/*  In the new process, with the rights of its account: lays out all folders among the inputs below
 *  the working folder, after telling "" by a pipe if there are any. False with why, which names the
 *  folder and the member. */
bool run_unfold (const run_order_t *order, int tell, char why [WHY_BYTES]);

#endif
