/*  run_begin - from an order to a running program: account, limits, folder, environment, files. */
#ifndef MUSUBI_RUN_BEGIN_H
#define MUSUBI_RUN_BEGIN_H

#include "node_work.h"

#include <sys/types.h>

/*  The program runs, in a process group of its own, once this returns its process. -1 with why:
 *  nothing runs. folder is the run's, path its whole path; output is where it writes. */
pid_t run_begin (const ticket_t *ticket, int folder, const char *path, int output,
                 char why [RUN_WHY_BYTES_MAX + 1]);

#endif
