/*  sim_thief - a process that wants a resource which somebody else has, and tries to hold it every
 *  millisecond.
 *
 *  It holds without ever preparing: what it gets ends by itself. Experiments ask whether it got
 *  anything, and when.
 */
#ifndef MUSUBI_SIM_THIEF_H
#define MUSUBI_SIM_THIEF_H

#include "sim.h"
#include "sim_wire.h"

/*  The resource that it is after. */
typedef struct {
    int process;       /* of the participant */
    sim_party_t party; /* resource, unit and network; the rest is filled in */
    int64_t from_ms;
    int64_t until_ms;
} sim_prey_t;

/*  Outlives the core's lives. */
typedef struct {
    sim_t *sim;                                      /* in */
    bool (*prey) (void *owner, sim_prey_t *prey);    /* in: false = it wants nothing just now */
    void (*got) (void *owner, const sim_hold_t *it); /* in: may be NULL */
    void *owner;                                     /* in */
    uint32_t ttl_ms;                                 /* in: for how long it wants to hold it */
    uint64_t attempts;
    uint64_t grants;
    sim_hold_t hold;
    uint64_t calls;
    int64_t due_ms;
    bool waits; /* for an answer */
    char name [NAME_BYTES_MAX + 1];
    char address [SIM_ADDRESS_BYTES];
    store_identity_t store;
    struct outbox *outbox;
} sim_thief_t;

void sim_thief_make (void *owner, core_t *core);

#endif
