/*  planning_wire - what S0's users say to planners and hear from them, in protobuf. */
#ifndef MUSUBI_PLANNING_WIRE_H
#define MUSUBI_PLANNING_WIRE_H

#include "scenario.h"
#include "transaction.h"

typedef struct {
    const scenario_request_t *request;
    const char *const *systems;
    const char *algorithm; /* "bbr" */
    const char *policy;    /* "time" */
    int64_t earliest_ms;   /* wall */
} planning_ask_t;

/*  Planner.Reserve; malloc'ed bytes. */
packed_t planning_ask_encode (const planning_ask_t *ask);

typedef struct {
    bool committed;
    bool final;  /* committed or refused */
    double cost; /* credits */
    double planning_s;
} planning_answer_t;

/*  False when it can't be read. */
bool planning_answer_decode (bytes_t body, planning_answer_t *answer);

#endif
