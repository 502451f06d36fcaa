/*  planning_wire - what S0's users send to planners and are answered, in protobuf. */
#ifndef MUSUBI_PLANNING_WIRE_H
#define MUSUBI_PLANNING_WIRE_H

#include "scenario.h"
#include "transaction.h"

typedef struct {
    const scenario_request_t *request;
    const char *const *systems;
    const char *algorithm; /* "bbr" */
    const char *policy;    /* "time" */
    const char *route;     /* "fixed"; empty = the planner's own way */
    int64_t earliest_ms;   /* wall */
} planning_ask_t;

/*  Planner.Reserve; malloc'ed bytes. */
packed_t planning_ask_encode (const planning_ask_t *ask);

#define PLANNING_HOPS_MAX 64 /* of all connections of a request */

typedef struct {
    char site [NAME_BYTES_MAX + 1];
    uint32_t cpus;
} planning_placement_t;

typedef struct {
    char link [2 * NAME_BYTES_MAX + 2]; /* "N/N1-X1" */
    uint32_t mbps;
} planning_hop_t;

typedef struct {
    bool committed;
    bool final;  /* committed or refused */
    double cost; /* credits */
    double planning_s;
    int64_t start_ms; /* of a plan; wall */
    planning_placement_t places [SCENARIO_JOBS_MAX];
    size_t places_count;
    planning_hop_t hops [PLANNING_HOPS_MAX];
    size_t hops_count;
} planning_answer_t;

/*  False when it can't be read. */
bool planning_answer_decode (bytes_t body, planning_answer_t *answer);

#endif
