/*  balancer - shares what waits in the queues of sites that have joined (proto/balance.proto, S1).
 *
 *  A coalition is formed each T of the sites that name this balancer, and stays as it is until the
 *  next one; who leaves, falls silent, or does much less than its CPUs say, is set aside at once.
 *  Each t the members' queues are asked for, weighed (rebalance.h), and orders given to move tasks.
 *  Each job's owner is promised by when it is complete; no order ever makes it later.
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
    uint32_t members_max;     /* of a coalition; 256 */
    uint32_t jobs_max;        /* bags that are looked at in one step; 10 000 */
    uint32_t orders_max;      /* in one step; 1 000 */
    uint32_t kept_max;        /* jobs that are over, kept for the length of a coalition; 100 000 */
    uint32_t history_max;     /* coalitions that have ended, kept; 1 000 */
    uint32_t silent_max;      /* steps without an answer, then a member is set aside; 3 */
    uint32_t diligence_steps; /* over so many steps a member's work is held against its CPUs; 6 */
    double work_least;        /* less of it than this, while tasks wait: it is set aside; 0.5 */
    int64_t timeout_ms;       /* of a question to a member; 2 s, and at most half a step */
} balancer_limits_t;

/*  Everything is copied by balancer_core. */
typedef struct {
    const char *name;     /* "balancer/green" */
    int64_t coalition_ms; /* T; 1 h */
    int64_t step_ms;      /* t; 10 s */
    bool reschedule;      /* the extension, too */
    balancer_limits_t limits;
    const char *const *gis_endpoints;
    size_t gis_count;
} balancer_settings_t;

/*  The core of svc-balancer; its host ends it with core->destroy. */
void balancer_core (const balancer_settings_t *settings, core_t *core);

#endif
