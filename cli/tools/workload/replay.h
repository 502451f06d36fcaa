/*  replay - sends co-allocations to live planners, many in flight, and keeps what became of each.
 *
 *  A request without a final answer is sent again under the same id, to the next planner (T2:
 *  always safe), until tries_max; then it counts as unknown.
 */
#ifndef MUSUBI_REPLAY_H
#define MUSUBI_REPLAY_H

#include "client.h"
#include "coallocations.h"

#define REPLAY_REASON_BYTES 128
#define REPLAY_PLANNERS_MAX 64

typedef enum { REPLAY_COMMITTED, REPLAY_REFUSED, REPLAY_UNKNOWN } replay_status_t;

/*  Of a refusal: the kind of resource that its first reason names. */
typedef enum {
    REPLAY_BY_CLASS,   /* a compute need finds no nodes */
    REPLAY_BY_LINK,    /* a network need finds no path */
    REPLAY_BY_NO_NEED, /* each by itself could be had, or something else altogether */
    REPLAY_BLOCKERS
} replay_blocker_t;

typedef struct {
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    replay_status_t status;
    replay_blocker_t blocker;
    char reason [REPLAY_REASON_BYTES]; /* refused: the first reason in a few words */
    size_t asked_links;                /* network needs */
    size_t connections;                /* committed: network needs that got a path between two
                                          sites */
    size_t links;                      /* that these paths have in all */
    size_t circuits;                   /* their stretches inside one domain */
    double sent_s;                     /* since the replay began */
    double latency_s;                  /* from first send to final answer */
    uint32_t tries;
} replay_outcome_t;

typedef struct {
    const char *actor;
    const char *const *homes; /* short names of request homes, taken in turn: "g1" */
    size_t homes_count;
    const char *id_prefix; /* request ids are PREFIX-NUMBER@HOME */
    const char *policy;    /* NULL = the planner's default */
    size_t clients;        /* requests in flight at most */
    double rate;           /* requests a second; 0 = as fast as answered */
    int64_t timeout_ms;    /* of each try */
    uint32_t tries_max;

    /*  Endpoints of live planners, asked at the start and now and then after time-outs; returns how
     *  many. The texts live until the next call. */
    size_t (*planners) (void *owner, const char *endpoints [REPLAY_PLANNERS_MAX]);
    /*  A request is over: form is the user's form of its answer. */
    void (*answered) (void *owner, const replay_outcome_t *outcome, const json_t *form);
    /*  Called now and then with how many are over. False ends the replay: what is in flight is
     *  awaited, the rest is not sent. */
    bool (*progress) (void *owner, size_t answered, size_t of);
    void *owner;
} replay_settings_t;

/*  Fills outcomes [0 .. returned). Returns how many were sent. */
size_t replay_run (client_t *client, const coallocation_t *requests, size_t requests_count,
                   const replay_settings_t *settings, replay_outcome_t *outcomes);

/*  What the user's form of a final answer comes to. */
void replay_outcome_read (replay_outcome_t *self, const coallocation_t *request,
                          const json_t *form);

typedef struct {
    replay_blocker_t blocker;
    char reason [REPLAY_REASON_BYTES];
    size_t count;
} replay_reason_t;

#define REPLAY_REASONS_MAX 16

typedef struct {
    size_t committed;
    size_t refused;
    size_t refused_by [REPLAY_BLOCKERS];
    size_t unknown;
    size_t asked_links; /* network needs of all that were sent */
    size_t connections;
    size_t links;
    size_t circuits;
    double seconds;              /* first send to last answer */
    double per_second;           /* answered requests */
    double committed_per_second; /* co-allocations */
    double p50_s;                /* latencies of answered requests */
    double p90_s;
    double p99_s;
    double max_s;
    replay_reason_t reasons [REPLAY_REASONS_MAX]; /* most frequent first; rare ones as one, last */
    size_t reasons_count;
} replay_summary_t;

void replay_summarise (const replay_outcome_t *outcomes, size_t count, replay_summary_t *summary);

/*  An SVG file: success over time above, distribution of latency below. */
void replay_plot (const replay_outcome_t *outcomes, size_t count, const char *title, FILE *svg);

#endif
