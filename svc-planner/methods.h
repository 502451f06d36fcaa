/*  methods - those of service Planner: reserve.c, change.c, show.c, list.c, settle.c. */
#ifndef MUSUBI_METHODS_H
#define MUSUBI_METHODS_H

#include "errand.h"

/*  owner: planner_t. */
method_fn planner_on_reserve;
method_fn planner_on_modify;
method_fn planner_on_release;
method_fn planner_on_show;
method_fn planner_on_list;
method_fn planner_on_settle;

/*  A decision of ours that another planner's fence bars (coordinator.h): fence it ourselves. */
coordinator_barred_fn planner_on_barred;

/*  Questions under way, when a planner ends. */
void planner_inquiries_clear (planner_t *planner);

#endif
