/*  run_executor - the kinds of work of node_work.h, as the agent's workers do them. */
#ifndef MUSUBI_RUN_EXECUTOR_H
#define MUSUBI_RUN_EXECUTOR_H

#include "host.h"

extern const work_kind_t run_works [];
extern const size_t run_executor_count;

#endif
