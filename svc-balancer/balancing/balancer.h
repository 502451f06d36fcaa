/*  balancer - moves waiting tasks between the queues of sites that have joined
 *  (proto/balance.proto, S1).
 *
 *  Every T the sites that name this balancer form a coalition, which stays the same until the next
 *  one. A member that leaves, stops answering, or does much less work than its CPUs could is set
 *  aside at once. Every t the members are asked for their queues, the queues are weighed
 *  (rebalance.h), and orders to move tasks are given. Each job's owner is promised a time by which
 *  it is complete; no order ever makes it later.
 *
 *  Opens no socket and no file, reads no clock.
 */
#ifndef MUSUBI_BALANCER_H
#define MUSUBI_BALANCER_H

#include "core.h"

#define BALANCER_MEMBERS_MOST 1024
#define BALANCER_JOBS_MOST    1000000
#define BALANCER_ORDERS_MOST  100000

typedef struct {
    uint32_t members_max; /* of a coalition; 256 */
    uint32_t jobs_max;    /* bags considered in one step; 10 000 */
    uint32_t orders_max;  /* in one step; 1 000 */
    uint32_t kept_max;    /* finished jobs kept for the length of a coalition; 100 000 */
    uint32_t history_max; /* ended coalitions kept; 1 000 */
    uint32_t silent_max;  /* steps without an answer until a member is set aside; 3 */
    uint32_t
      delivered_work_steps; /* steps over which a member's work is compared with its CPUs; 6 */
    double work_least;      /* a member that does a smaller share is set aside; 0.5 */
    int64_t timeout_ms;     /* of a question to a member; 2 s, and at most half a step */
} balancer_limits_t;

/*  Everything is copied by balancer_core. */
typedef struct {
    const char *name;     /* "balancer/green" */
    int64_t coalition_ms; /* T; 1 h */
    int64_t step_ms;      /* t; 10 s */
    bool reschedule;      /* also try the rebuilt schedule (bilb_schedule.h) */
    balancer_limits_t limits;
    const char *const *gis_endpoints;
    size_t gis_count;
} balancer_settings_t;

/*  The core of svc-balancer; its host ends it with core->destroy. */
void balancer_core (const balancer_settings_t *settings, core_t *core);

#endif
