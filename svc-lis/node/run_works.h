/*  run_works - the kinds of work of node_work.h, as the agent's workers do them. */
#ifndef MUSUBI_RUN_WORKS_H
#define MUSUBI_RUN_WORKS_H

#include "host.h"

extern const work_kind_t run_works [];
extern const size_t run_works_count;

/*  The program that is started as a run's starter, "PROGRAM starter FOLDER"; borrowed for life.
 *  This very program, unless a test says otherwise. */
void run_works_starter (const char *program);

#endif
