/*  methods - those of service Planner that make pendings: reserve.c, change.c. */
#ifndef MUSUBI_METHODS_H
#define MUSUBI_METHODS_H

#include "pending.h"

/*  owner: pendings_t. */
method_fn planner_on_reserve;
method_fn planner_on_modify;
method_fn planner_on_release;

/*  The borrowed ones are filled. pendings_close ends it. */
void reserve_open (pendings_t *self);

#endif
