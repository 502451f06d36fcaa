/*  sim_operator - others who deal with network domains: an administrator who lowers what a link
 *  carries, and the users' programs that put circuits to use.
 *
 *  Tasks come due one by one; each is asked for until it is answered. A request to use circuits
 *  carries the reservation as its request id, so that whoever sees the answer knows which
 *  reservation it is about.
 */
#ifndef MUSUBI_SIM_OPERATOR_H
#define MUSUBI_SIM_OPERATOR_H

#include "sim.h"
#include "sim_check.h"

#define SIM_TASKS_MAX 16

typedef enum {
    TASK_LOWER,     /* a link's capacity */
    TASK_PROVISION, /* begins to use the circuits of some committed reservation */
    TASK_GIVE_UP,   /* ends that use */
} sim_task_kind_t;

typedef struct {
    sim_task_kind_t kind; /* in */
    int64_t after_ms;     /* in: from the start */
    int64_t due_ms;       /* monotonic */
    size_t domain;        /* in: of TASK_LOWER */
    char link [SIM_POINT_BYTES];
    uint32_t mbps;
    uint32_t aim; /* in: chooses the reservation, and one of its domains */
    char reservation [NAME_BYTES_MAX + 1];
    char actor [NAME_BYTES_MAX + 1];
    uint32_t tries;
    uint64_t call;
    bool ended;
} sim_task_t;

/*  Outlives the core's lives. */
typedef struct {
    sim_t *sim;             /* in */
    const sim_book_t *book; /* in */
    sim_check_t *check;     /* in: is told what was lowered */
    int domains [SIM_DOMAINS_MAX];
    size_t domains_count;
    sim_task_t tasks [SIM_TASKS_MAX];
    size_t tasks_count;
    uint64_t calls;
    bool patient; /* faults are over */
    struct outbox *outbox;
} sim_operator_t;

void sim_operator_make (void *owner, core_t *core);

bool sim_operator_ended (const sim_operator_t *self);

#endif
