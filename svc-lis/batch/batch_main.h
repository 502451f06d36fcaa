/*  batch_main - svc-lis batch: the agent of a site's batch system. */
#ifndef MUSUBI_BATCH_MAIN_H
#define MUSUBI_BATCH_MAIN_H

#include "batch_system.h"

/*  systems: those that there are; NULL at the end. As host_run. */
int batch_main (int argc, char **argv, const batch_system_t *const *systems);

/*  svc-lis describe, for musubi federation from-SYSTEM. Exit code 2: there is no such queue, or
 *  nothing in it; 3: the batch system does not answer. */
int batch_describe_main (int argc, char **argv, const batch_system_t *const *systems);

#endif
