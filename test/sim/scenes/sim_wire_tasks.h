/*  sim_wire_tasks - what a user says to a site's queue, and what he is told (sim_wire.h). */
#ifndef MUSUBI_SIM_WIRE_TASKS_H
#define MUSUBI_SIM_WIRE_TASKS_H

#include "transaction.h"

#define SIM_BAG_TASKS_MAX  6
#define SIM_BAG_INPUTS_MAX 2

typedef struct {
    uint32_t count; /* at most SIM_BAG_TASKS_MAX */
    uint32_t cpus;
    int64_t limit_ms;
    int32_t priority;
    const char *class_name;  /* "" = any */
    const char *reservation; /* "" = none */
    bool preemptible;
    bool requeue;
    bool shared;
    const char *inputs [SIM_BAG_INPUTS_MAX]; /* names of files */
    size_t inputs_count;
    const char *output; /* its name; NULL = none */
    const char *label;  /* the second word of its command; NULL = the command is one word */
} sim_bag_t;

/*  Same numbers as proto TaskState. */
typedef enum {
    TOLD_QUEUED,
    TOLD_PLACED,
    TOLD_RUNNING,
    TOLD_ENDED,
    TOLD_STOPPED,
    TOLD_LOST,
    TOLD_CANCELLED,
} sim_task_state_t;

static inline bool sim_task_over (sim_task_state_t state)
{
    return state >= TOLD_ENDED;
}

typedef struct {
    sim_task_state_t state;
    uint32_t tries;
    int32_t exit_code;
    int32_t signal;
    bool why;   /* the answer says why */
    bool limit; /* its limit */
} sim_told_task_t;

/*  The caller frees what they return. index < 0: the whole bag. */
packed_t sim_wire_submit (const sim_bag_t *bag);
packed_t sim_wire_tasks (uint64_t bag);
packed_t sim_wire_cancel (uint64_t bag, int index);

/*  Sent as an administrator. */
packed_t sim_wire_drain (const char *node, bool drained);

/*  False when it can't be read. */
bool sim_wire_submit_read (bytes_t body, uint64_t *bag);
bool sim_wire_tasks_read (bytes_t body, sim_told_task_t tasks [SIM_BAG_TASKS_MAX], size_t *count);

#endif
