/*  router - the agent of a router: it asks its domain's svc-nis which circuits are wanted there,
 *  has the machine made equal to that (work "shape"), and tells what is really there.
 *
 *  It makes the machine equal again after every answer, and every look_ms, so that what a crash has
 *  left half done, or somebody has changed, is put right. What others change is also watched (work
 *  "watch"): from then on until a look has ended no circuit is told as seen. Before the first
 *  answer, and from its lease after the last one on, it touches nothing, since another agent may be
 *  the router's then; but a circuit that its svc-nis has not taken back by its end is taken away
 *  END_MS later. Nothing is stored. Pure.
 */
#ifndef MUSUBI_ROUTER_H
#define MUSUBI_ROUTER_H

#include "core.h"

#define ROUTER_SHAPE "shape" /* router_work_codec in and out */
#define ROUTER_WATCH "watch" /* the same: waits a while, and gives interfaces that were touched */

/*  Strings are borrowed for life; endpoints are copied. */
typedef struct {
    const char *name;             /* "r1" */
    const char *const *endpoints; /* of its svc-nis; the next is tried when one is silent */
    size_t endpoints_count;
    int64_t look_ms;
} router_settings_t;

/*  The core of svc-nis agent; its host ends it with core->destroy. */
void router_core (const router_settings_t *settings, core_t *core);

#endif
