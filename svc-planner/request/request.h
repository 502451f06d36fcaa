/*  request - a user's request as plain values, and whether it makes sense.
 *
 *  A request that contradicts itself (a need twice, a deadline before the start) is a bad request,
 *  whenever it is sent. One that is only too late (a latest start that has passed) is refused, so
 *  that a repeat of an answered request still gets its answer.
 */
#ifndef MUSUBI_REQUEST_H
#define MUSUBI_REQUEST_H

#include "path.h"
#include "planner_limits.h"
#include "planner_settings.h"
#include "transaction.h"
#include "user_request.h"

typedef enum { POLICY_TIME, POLICY_COST, POLICY_LOAD, POLICY_RANDOM, POLICY_QUALITY } policy_t;

/*  Does it make sense? Its form has been checked by its table. False with why =
 *  "request.compute[1].cpus: must be 1 to 1000000". */
bool user_request_check (const user_request_t *self, char why [WHY_BYTES]);

/*  Index of the compute need of that id, of the network, data or space need; SIZE_MAX when there is
 *  none. */
size_t user_request_need (const user_request_t *self, const char *id);
size_t user_request_network (const user_request_t *self, const char *id);
size_t user_request_data (const user_request_t *self, const char *id);
size_t user_request_space (const user_request_t *self, const char *id);

/*  The request that a plan was made for. False with why, and *request empty, when it is not on
 *  record. */
bool plan_user_request (const plan_t *plan, user_request_t *request, char why [WHY_BYTES]);

policy_t user_request_policy (const user_request_t *self);

/*  How long one need lasts; how long the whole request lasts; the smallest offset of a need, those
 *  that a planner has derived left out. */
int64_t need_duration (const user_request_t *self, size_t need);
int64_t user_request_span (const user_request_t *self);
int64_t user_request_offset_least (const user_request_t *self);

/*  Do its data and space needs make sense? Part of user_request_check, after the others. */
bool data_needs_check (const user_request_t *self, char why [WHY_BYTES]);

/*  At how many storage nodes a data need wants its file: at least so many. */
uint32_t data_need_nodes (const data_need_t *need);

/*  --- network needs of a checked request --- */

/*  Do they make sense? Part of user_request_check. */
bool network_needs_check (const user_request_t *self, char why [WHY_BYTES]);

/*  Index of the compute need at an end, 0 or 1. */
size_t network_need_end (const user_request_t *self, size_t need, int end);

/*  When it carries data, from the reservation's start: as given, or while both ends run. */
void network_need_interval (const user_request_t *self, size_t need, int64_t *from_ms,
                            int64_t *until_ms);

/*  Which path is best by the request's route and policy. */
path_order_t user_request_path_order (const user_request_t *self);

/*  The start times to choose from, in wall ms. */
typedef struct {
    int64_t earliest_ms;
    int64_t latest_ms;
    int64_t deadline_ms; /* INT64_MAX = none */
} starts_t;

/*  Fix the time frame at this moment. False with why when no start is possible any more. */
bool user_request_resolve (const user_request_t *self, const planner_settings_t *settings,
                           int64_t wall_ms, starts_t *starts, char why [WHY_BYTES]);

/*  Make the times of the window absolute, as a plan carries them. */
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
    space_need_t *space; /* those of these ids have so many bytes from now on */
    size_t space_count;
    user_request_t added; /* its needs only */
    char (*removed) [NAME_BYTES_MAX + 1];
    size_t removed_count;
} request_patch_t;

bool request_patch_check (const request_patch_t *self, char why [WHY_BYTES]);

/*  Apply a checked patch to the request of a reservation, and drop its stages. False with why: a
 *  need is not known, or the result makes no sense. */
bool user_request_patch (user_request_t *self, const request_patch_t *patch, char why [WHY_BYTES]);

/*  A request id and its home. */
typedef struct {
    char full [REQUEST_ID_BYTES_MAX + 1]; /* ID@HOME */
    char home [NAME_BYTES_MAX + 1];       /* "gis/g1" */
} request_name_t;

/*  Find the home of an actor's request id (T2): the id names it, or a hash chooses one of homes.
 *  False with why when it is no right id, or names a home that is not in the list. */
bool request_name_parse (request_name_t *self, const char *actor, const char *request_id,
                         const char *const *homes, size_t homes_count, char why [WHY_BYTES]);

/*  Letters, digits, and . _ -, at least one. */
bool name_sound (const char *name);

/*  Neither blanks nor control characters, at least one. */
bool word_sound (const char *word, size_t length);

#endif
