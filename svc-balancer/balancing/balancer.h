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
#include "setting.h"

typedef struct {
    uint32_t members_max;          /* of a coalition */
    uint32_t jobs_max;             /* bags considered in one step */
    uint32_t orders_max;           /* in one step */
    uint32_t kept_max;             /* finished jobs kept for the length of a coalition */
    uint32_t history_max;          /* ended coalitions kept */
    uint32_t silent_steps;         /* without an answer until a member is set aside */
    uint32_t delivered_work_steps; /* over which a member's work is compared with its CPUs */
    double work_least;             /* a member that does a smaller share is set aside */
    int64_t timeout_ms;            /* of a question to a member; at most half a step */
} balancer_limits_t;

/*  Everything is copied by balancer_core. */
typedef struct {
    const char *name;     /* "balancer/green" */
    int64_t coalition_ms; /* T */
    int64_t step_ms;      /* t */
    bool reschedule;      /* also try the rebuilt schedule (bilb_schedule.h) */
    balancer_limits_t limits;
    const char *const *gis_endpoints;
    size_t gis_count;
} balancer_settings_t;

/*  Its numbers. */
extern const setting_table_t balancer_table;

/*  The core of svc-balancer; its host ends it with core->destroy. */
void balancer_core (const balancer_settings_t *settings, core_t *core);

#endif
