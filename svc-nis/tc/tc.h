/*  tc - the machine itself, as shaper.h sees it: runs tc and ip, without a shell. */
#ifndef MUSUBI_TC_H
#define MUSUBI_TC_H

#include "host.h"

/*  ROUTER_SHAPE and ROUTER_WATCH (router.h), each on a worker of its own. */
extern const work_kind_t tc_works [];
extern const size_t tc_works_count;

/*  A command that takes longer than limit_ms is killed. No interface is touched but these,
 *  separated by commas, whatever svc-nis wants. */
void tc_settle (int64_t limit_ms, const char *interfaces);

#endif
