/*  batch_script - the script of a job: it claims its run, carries out the order, and records the
 *  end. It passes SIGTERM and SIGUSR1 on by not ending before its program, and makes SIGTERM of
 *  SIGUSR2, by which Grid Engine tells an end. With files it takes the working folder that the
 *  agent has made for it. Pure. */
#ifndef MUSUBI_BATCH_SCRIPT_H
#define MUSUBI_BATCH_SCRIPT_H

#include "node_work.h"

/*  To be freed; run is the absolute path of the folder that it makes. */
char *batch_script (const ticket_t *ticket, const char *run, const char *home);

#endif
