/*  methods - those of service Planner that make errands: reserve.c, change.c. */
#ifndef MUSUBI_METHODS_H
#define MUSUBI_METHODS_H

#include "errand.h"

/*  owner: errands_t. */
method_fn planner_on_reserve;
method_fn planner_on_modify;
method_fn planner_on_release;

/*  The borrowed ones are filled. errands_close ends it. */
void reserve_open (errands_t *self);

#endif
