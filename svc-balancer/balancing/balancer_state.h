/*  balancer_state - what the files of the balancer share.
 *
 *  Between two steps it rests. A step goes through these phases:
 *
 *      forming      each T: sites are asked whether they have joined     collect.c
 *      collecting   each t: members are asked for their queues           collect.c
 *      ordering     each member is told its orders, one after another    orders.c
 *
 *  There are candidates only while a coalition is formed.
 */
#ifndef MUSUBI_BALANCER_STATE_H
#define MUSUBI_BALANCER_STATE_H

#include "balance.pb-c.h"
#include "balancer.h"
#include "balancer_wire.h"
#include "must.h"
#include "rebalance.h"
#include "service.h"

/*  A site that is asked whether it has joined, and its answer. */
typedef struct {
    char site [NAME_BYTES_MAX + 1]; /* must be the first member */
    uint64_t call;
    bool answered;
    bool joined;
    terms_t terms;
} coalition_candidate_t;

/*  An order that has not been answered. */
typedef struct {
    order_t order;
    uint64_t call;
} open_order_t;

typedef struct balancer {
    service_t *service;
    balancer_settings_t settings; /* its lists are our copies */
    coalition_t coalition;
    rebalance_t *weighing;
    uint64_t timer;
    int64_t next_step_ms; /* wall */
    coalition_candidate_t *candidates;
    size_t candidates_count;
    size_t waiting;            /* questions to candidates or members that have not been answered */
    open_order_t *open_orders; /* in their order */
    size_t open_orders_count;
    Musubi__CoalitionRecord **history; /* coalitions that have ended, oldest first */
    size_t history_count;
    /*  Of this coalition, since this start: work done, and load that has left the queues. */
    double done_s;
    double gone_s;
} balancer_t;

/*  --- collect.c --- */

/*  Asks every site of the directory whether it has joined; then balancer_formed. */
void hearing_form (balancer_t *self, const moment_t *now);

/*  Asks the members for their queues; then balancer_heard. */
void hearing_begin (balancer_t *self, const moment_t *now);

/*  Gives up all questions that are not answered yet. */
void hearing_end (balancer_t *self);

/*  --- orders.c --- */

void orders_begin (balancer_t *self, const moment_t *now, const weighed_move_t *moves, size_t count,
                   coalition_member_t *const *sites, job_t *const *jobs);

/*  Gives up the orders that are not answered yet. */
void orders_end (balancer_t *self);
void orders_serve (balancer_t *self);

/*  At start: sends the orders again that were not answered. */
void orders_start (balancer_t *self, const moment_t *now);

/*  --- scoring.c --- */

/*  At the end of a coalition: works out what it was worth to each member, adapts levels, and adds
 *  to the history. */
void measuring_end (balancer_t *self, const moment_t *now);
void measuring_serve (balancer_t *self);

/*  --- balancer_records.c --- */

void balancer_put_coalition (balancer_t *self);
void balancer_put_member (balancer_t *self, const coalition_member_t *member);
void balancer_drop_member (balancer_t *self, const char *site);
void balancer_put_job (balancer_t *self, const job_t *job);
void balancer_drop_job (balancer_t *self, job_t *job);
void balancer_load (balancer_t *self);

/*  --- balancer_view.c --- */

void balancer_view_serve (balancer_t *self);

/*  --- balancer_step.c --- */

/*  All questions are answered or given up. */
void balancer_formed (balancer_t *self, const moment_t *now);
void balancer_heard (balancer_t *self, const moment_t *now);

/*  At start: the first step comes soon. */
void balancer_step_start (balancer_t *self, const moment_t *now);

void balancer_set_aside (balancer_t *self, coalition_member_t *member, member_role_t to,
                         const char *why);

/*  How long a question may take; at most half a step. */
int64_t balancer_timeout_ms (const balancer_t *self);

#endif
