/*  run_begin - makes an order a running program: account, limits, folder, environment, files. */
#ifndef MUSUBI_RUN_BEGIN_H
#define MUSUBI_RUN_BEGIN_H

#include "node_work.h"

#include <sys/types.h>

/*  Returns the process of the program, which runs in a process group of its own; or -1 with why,
 *  and nothing runs. folder is the run's folder, path its whole path; the program writes to
 *  output. */
pid_t run_begin (const ticket_t *ticket, int folder, const char *path, int output,
                 char why [WHY_BYTES]);

#endif
