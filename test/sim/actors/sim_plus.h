/*  sim_plus - users of S3's interface (proto/plus.proto) at single sites: they create, reserve,
 *  modify and release, and then commit, abort or neglect what they asked for. No service ever calls
 *  them: they poll.
 *
 *  Each user keeps what it was told of its reservation. What a user is told must be durable when it
 *  leaves, and when all is over each site must have what its users were told, and no other version.
 */
#ifndef MUSUBI_SIM_PLUS_H
#define MUSUBI_SIM_PLUS_H

#include "sim.h"
#include "sim_check.h"

#define SIM_PLUS_ACTIONS_MAX 4
#define SIM_PLUS_CHANGES_MAX 4

typedef enum { PLUS_END_COMMIT, PLUS_END_ABORT, PLUS_END_NEGLECT, PLUS_ENDS } sim_plus_end_t;

/*  What became of a change. */
typedef enum {
    PLUS_UNDER_WAY,
    PLUS_NOT_HAD, /* refused: there never was a command */
    PLUS_DONE,    /* committed */
    PLUS_UNDONE,  /* aborted, by its user or by time */
} sim_plus_fate_t;

/*  What a reservation is; nodes 0 = it does not exist. */
typedef struct {
    int64_t from_ms;
    int64_t until_ms;
    uint32_t nodes;
} sim_plus_booked_t;

typedef struct {
    operation_t operation;   /* in */
    sim_plus_end_t end;      /* in */
    int64_t think_ms;        /* in: before it is asked for */
    int64_t wait_ms;         /* in: between its granting and its end; it polls meanwhile */
    uint32_t nodes;          /* in: 0 = as it is */
    int64_t start_ms;        /* in: a reserve counts from now; a modify is moved by this */
    int64_t duration_ms;     /* in: 0 = as it is */
    uint32_t again;          /* in: how often it is asked again, under the same id, if refused */
    int64_t again_ms;        /* in: after so long */
    sim_plus_booked_t asked; /* the body, from the first time it is asked on */
    sim_plus_booked_t next;  /* what the reservation is when that is committed */
    txid_t command;
    sim_plus_fate_t fate;
    uint32_t tries; /* request ids: to make the change, and to end it */
    uint32_t polls;
    bool refused;  /* told committed, for good: an id has one answer (R9) */
    bool granted;  /* told prepared */
    bool withheld; /* its commit was told to be too late */
} sim_plus_change_t;

typedef struct {
    int process;                     /* in: the site */
    char actor [NAME_BYTES_MAX + 1]; /* in */
    char id [NAME_BYTES_MAX + 1];    /* in: prefix of its request ids, which no other action has */
    sim_plus_change_t changes [SIM_PLUS_CHANGES_MAX];
    size_t changes_count;
    size_t at; /* the change under way */
    char reservation [NAME_BYTES_MAX + 1];
    sim_plus_booked_t has;
    uint32_t version; /* changes told committed */
    bool released;
    bool turned; /* its nodes were changed while it lasted: told are those of the moment */
    bool seen;   /* its properties, in the end */
    uint64_t call;
    int64_t due_ms;  /* monotonic: asks or polls then */
    int64_t ends_ms; /* monotonic: commits or aborts from then on */
    uint64_t spoken; /* calls made */
    uint64_t heard;  /* answers */
} sim_plus_action_t;

/*  Outlives the core's lives. */
typedef struct {
    sim_t *sim;         /* in */
    sim_tally_t *tally; /* in */
    prng_t prng;        /* in, seeded */
    sim_plus_action_t actions [SIM_PLUS_ACTIONS_MAX];
    size_t actions_count;
    uint64_t calls;
    uint64_t called; /* requests and hints that came to it: there must be none */
    bool patient;    /* faults are over */
    bool gives_up;   /* in: stops asking, in the end, at a site that has no room left */
    struct outbox *outbox;
} sim_plus_t;

void sim_plus_make (void *owner, core_t *core);
bool sim_plus_ended (const sim_plus_t *self);

/*  The observer's call: what a site tells of a command must be durable. */
void sim_plus_left (sim_check_t *check, const sim_message_t *message);

/*  When all is over: the sites have what their users were told. */
void sim_plus_check (const sim_plus_t *self, sim_check_t *check);

/*  --- on the wire: sim_wire_plus.c --- */

typedef enum {
    PLUS_SAYS_INITIAL,
    PLUS_SAYS_PREPARED,
    PLUS_SAYS_COMMITTED,
    PLUS_SAYS_ABORTED
} sim_plus_says_t;

typedef struct {
    txid_t command;
    sim_plus_says_t says;
    refusal_reason_t refused;
} sim_plus_told_t;

typedef struct {
    sim_plus_booked_t booked;
    uint32_t state; /* proto ReservationState */
    size_t commands;
} sim_plus_seen_t;

packed_t sim_wire_plus_create (void);
packed_t sim_wire_plus_reserve (const char *reservation, const sim_plus_booked_t *asked);
packed_t sim_wire_plus_modify (const char *reservation, const sim_plus_booked_t *asked);
packed_t sim_wire_plus_release (const char *reservation);
packed_t sim_wire_plus_command (const txid_t *command);
packed_t sim_wire_plus_properties (const char *reservation);
bool sim_wire_plus_created (bytes_t body, char reservation [NAME_BYTES_MAX + 1]);
bool sim_wire_plus_told (bytes_t body, sim_plus_told_t *told);
bool sim_wire_plus_seen (bytes_t body, sim_plus_seen_t *seen);

#endif
