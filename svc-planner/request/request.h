/*  request - what a user asks for, as plain values, and whether it makes sense.
 *
 *  Two kinds of no: what can't be meant (a need twice, a deadline before the start) is a bad
 *  request whatever the time; what can't be had (a latest start that has passed) depends on the
 *  moment and is told as a refusal, so that a repeat of an answered request still finds its answer.
 */
#ifndef MUSUBI_REQUEST_H
#define MUSUBI_REQUEST_H

#include "path.h"
#include "planner_limits.h"
#include "planner_settings.h"
#include "transaction.h"
#include "user_request.h"

typedef enum { POLICY_TIME, POLICY_COST, POLICY_LOAD, POLICY_RANDOM, POLICY_QUALITY } policy_t;

/*  Could it be meant? Asked of what its table takes. False with why = "request.compute[1].cpus:
 *  must be 1 to 1000000". */
bool user_request_check (const user_request_t *self, char why [WHY_BYTES]);

/*  Index of the compute need of that id, of the network need; SIZE_MAX when there is none. */
size_t user_request_need (const user_request_t *self, const char *id);
size_t user_request_network (const user_request_t *self, const char *id);

/*  The one that a plan was made for. False with why when it is not on record; *request is empty
 *  then. */
bool plan_user_request (const plan_t *plan, user_request_t *request, char why [WHY_BYTES]);

policy_t user_request_policy (const user_request_t *self);

/*  How long one need lasts, and from the first need's start to the last one's end. */
int64_t need_duration (const user_request_t *self, size_t need);
int64_t user_request_span (const user_request_t *self);
int64_t user_request_offset_least (const user_request_t *self);

/*  --- network needs of a checked request --- */

/*  Could they be meant? Part of user_request_check. */
bool network_needs_check (const user_request_t *self, char why [WHY_BYTES]);

/*  Index of the compute need at an end, 0 or 1. */
size_t network_need_end (const user_request_t *self, size_t need, int end);

/*  When it carries, counted from the reservation's start: as given, or the time both ends share. */
void network_need_interval (const user_request_t *self, size_t need, int64_t *from_ms,
                            int64_t *until_ms);

/*  Which path is best: what the route and the policy of the request say. */
path_order_t user_request_path_order (const user_request_t *self);

/*  The start times to choose from, in wall ms. */
typedef struct {
    int64_t earliest_ms;
    int64_t latest_ms;
    int64_t deadline_ms; /* INT64_MAX = none */
} starts_t;

/*  Fix the frame at a moment. False with why when no start is left. */
bool user_request_resolve (const user_request_t *self, const planner_settings_t *settings,
                           int64_t wall_ms, starts_t *starts, char why [WHY_BYTES]);

/*  Replace the window by one with absolute times, as it is kept in a plan. */
void user_request_fix (user_request_t *self, const planner_settings_t *settings, int64_t wall_ms);

typedef struct {
    char id [NAME_BYTES_MAX + 1];
    uint32_t cpus;                  /* 0 = as it is */
    char site [NAME_BYTES_MAX + 1]; /* SITE_ANY: any; "" = as it is */
} need_patch_t;

#define SITE_ANY "*"

typedef struct {
    char id [NAME_BYTES_MAX + 1];
    uint32_t mbps; /* 0 = as it is */
} connection_patch_t;

/*  What a modify changes. Owns its lists. */
typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
    bool dry_run; /* stop at the plan */
    bool window_set;
    frame_t window;
    int64_t duration_ms; /* 0 = as it is */
    need_patch_t *compute;
    size_t compute_count;
    connection_patch_t *network;
    size_t network_count;
    user_request_t added; /* its needs only */
    char (*removed) [NAME_BYTES_MAX + 1];
    size_t removed_count;
} request_patch_t;

bool request_patch_check (const request_patch_t *self, char why [WHY_BYTES]);

/*  Apply a checked patch to the request of a reservation, which is without stages then; false with
 *  why naming an unknown need or what can't be meant any more. */
bool user_request_patch (user_request_t *self, const request_patch_t *patch, char why [WHY_BYTES]);

/*  ID@HOME in its two parts. */
typedef struct {
    char full [REQUEST_ID_BYTES_MAX + 1]; /* ID@HOME */
    char home [NAME_BYTES_MAX + 1];       /* "gis/g1" */
} request_name_t;

/*  Where the request id of an actor has its home (T2): written in it, or by hash to a slot of
 *  homes. False with why when it can't be an id, or names a home that is not in the list. */
bool request_name_parse (request_name_t *self, const char *actor, const char *request_id,
                         const char *const *homes, size_t homes_count, char why [WHY_BYTES]);

/*  Letters, digits, and . _ -, at least one. */
bool name_sound (const char *name);

/*  Neither blanks nor control characters, at least one. */
bool word_sound (const char *word, size_t length);

#endif
