/*  participant - the one implementation of the participant side of a transaction
 *  (proto/transaction.md).
 *
 *  It keeps commands by txid and reservations by id, moves each command through
 *
 *      initial -> held -> prepared -> committed | aborted | edge
 *                 held -> aborted | expired
 *                 edge -> committed | edge-refused | aborted
 *
 *  stores what it promises before it says so, settles what is in doubt (T7), and answers repeats
 *  from its records. What is booked is a resource's business: LIS, NIS and storage plug a calendar
 *  in, GIS its claims. Pure.
 *
 *  A refused HOLD leaves nothing, so it may be asked again. A txid that was aborted or resolved
 *  before it came gets a tombstone, within limits: its HOLD is refused from then on. Counters in
 *  Service.Status: holds, votes, renewals, commits, aborts, expired, edges, edge_refusals,
 *  doubts_asked, doubts_resolved, pruned, bad_records, and refused_REASON.
 */
#ifndef MUSUBI_PARTICIPANT_H
#define MUSUBI_PARTICIPANT_H

#include "access.h"
#include "ledger.h"
#include "service.h"
#include "staged_file.h"
#include "transaction.h"

/*  Limits, each refused by name in REFUSAL_LIMIT; set per service (participant_table). */
typedef struct {
    uint32_t hold_ttl_ms; /* granted when none is asked */
    uint32_t hold_ttl_ms_max;
    uint32_t hold_age_ms_max; /* a hold's whole life with renewals */
    uint32_t holds_max;       /* commands held or prepared at once */
    uint32_t holds_per_actor_max;
    uint32_t holds_per_planner_max;
    uint32_t tombstones_max;
    uint32_t tombstones_per_planner_max; /* of one planner's transactions */
    int64_t retention_ms;   /* finished records are kept so long past the last window */
    ledger_limits_t ledger; /* how much of it is kept */
    uint32_t doubt_ms;      /* from a vote to the first question about its decision */
    uint32_t doubt_ms_max;  /* longest pause between such questions */
    uint32_t list_max;      /* records in a page */
} participant_limits_t;

extern const setting_table_t participant_table;

/*  Names, in REFUSAL_LIMIT, of the limits that a resource checks itself. The participant adds when
 *  they will allow more (timetable.h, hold_quota.h). */
#define BOOKINGS_IN_ALL              "bookings_max"
#define BOOKINGS_PER_ACTOR           "bookings_per_actor_max"
#define HOLD_QUOTA_SHARE             "uncommitted_share"
#define HOLD_QUOTA_SHARE_PER_PLANNER "uncommitted_share_per_planner"
#define HOLD_QUOTA_SHARE_PER_ACTOR   "uncommitted_share_per_actor"

/*  Callbacks of a module that keeps something beside each reservation, such as the use of its
 *  circuits. Each may be NULL. */
typedef struct {
    void *owner;

    /*  A commit has changed what it books. */
    void (*changed) (void *owner, const moment_t *now, const char *reservation);

    /*  Its record has been deleted. */
    void (*forgotten) (void *owner, const char *reservation);

    /*  May what it books be used now? Shown by Show and List. */
    bool (*provisioned) (void *owner, const char *reservation);

    /*  How far its circuits in use are (proto CircuitState), what a queue of them adds at most, and
     *  why. Shown by Show and List. */
    unsigned (*circuits) (void *owner, const char *reservation, uint32_t *wait_us,
                          char why [WHY_BYTES]);

    /*  How far its activation on the nodes has come: a packed OpeningRecord, malloc'ed; empty =
     *  nothing to tell. Shown by Show, with whole set, and by List. */
    packed_t (*opening) (void *owner, const moment_t *now, const char *reservation, bool whole);

    /*  How far the files are that it wants at storage nodes: a malloc'ed list, and their number.
     *  Shown by Show and List. */
    size_t (*staged) (void *staged_owner, const moment_t *now, const char *reservation,
                      staged_file_t **files);
    void *staged_owner;

    /*  Why nothing new may be had here for this actor; "" = nothing is known against it. */
    const char *(*unfit) (void *owner, const char *actor);

    /*  Why nobody can know yet what is free here; "" = it is known. */
    const char *(*unknown) (void *owner);
} usage_t;

/*  [from_ms, until_ms); empty unless set. */
typedef struct {
    bool set;
    int64_t from_ms;
    int64_t until_ms;
} span_t;

/*  The resource that a participant books. current and taken are objects of the resource. Only take
 *  can fail, and only when it is not forced: what a commit needs was taken with the hold. */
typedef struct {
    void *owner;
    part_kind_t part_kind; /* the one it understands */
    bool claims;           /* a request home: no versions, no edge, no reservation (T2) */

    /*  From true to false, at a start, committed parts are taken and settled, and nothing else is
     *  done: what is booked may be put in order at the end. May be NULL. */
    void (*starting) (void *owner, bool on);

    /*  Take what plan's part needs beyond what current (NULL = nothing) holds: the calendar then
     *  carries the larger of old and new at every instant (T11). An empty part takes nothing.
     *  Returns an object, also for an empty part, or NULL with *refusal filled, fresh profile
     *  included. forced (at start, from records; refusal may be NULL) never refuses, even when
     *  capacity has shrunk below what is booked; of what was committed its plan has no coordinator,
     *  and it is no hold. A command past its edge is taken again as of its vote: now is that
     *  moment, so that a window which is near by now is not refused for it (T9). */
    void *(*take) (void *owner, const moment_t *now, const plan_t *plan, const void *current,
                   const part_body_t *part, bool forced, refusal_t *refusal);

    /*  Give taken back: current stands as it was. Frees taken. */
    void (*drop) (void *owner, void *taken);

    /*  The new replaces the old: returns the new current (NULL when the part was empty), frees
     *  taken and the old current. */
    void *(*settle) (void *owner, void *current, void *taken);

    /*  Give back all that current holds and free it (a record pruned, or repair). */
    void (*end) (void *owner, void *current);

    /*  The time over which the part books, cleaning gap included; not set when it books nothing. */
    span_t (*span) (void *owner, const part_body_t *part);

    /*  Check a part's meaning before anything else; false with *refusal or why filled. */
    bool (*valid) (void *owner, const plan_t *plan, const part_body_t *part, refusal_t *refusal,
                   char why [WHY_BYTES]);

    /*  The answer of a committed claim is final: everybody has acknowledged it, or a repair has
     *  amended it. current is what settle returned. May be NULL. */
    void (*answer_final) (void *owner, void *current);

    /*  Is there too little of what current (NULL = nothing) holds, at an instant from now on? May
     *  be NULL. */
    bool (*lacks) (void *owner, const moment_t *now, const void *current);

    usage_t usage;
} resource_t;

typedef struct participant participant_t;

/*  Registers its methods, tables and start with the service. Everything is borrowed for life: end
 *  it before the service and before what the resource owns. limits are copied. */
participant_t *participant_new (service_t *service, const resource_t *resource,
                                const participant_limits_t *limits, const access_t *access);
void participant_destroy (participant_t **self_p);

/*  Why a hold for this actor would be refused whatever is free; "" = nothing is known against
 *  it. */
const char *participant_unfit (const participant_t *self, const char *actor);

/*  Why nobody can know yet what is free here; "" = it is known. */
const char *participant_unknown (const participant_t *self);

/*  What a reservation holds here, for questions that count it as free; NULL when unknown. */
const void *participant_current (const participant_t *self, const char *reservation);

/*  A reservation as it is here. Borrows. */
typedef struct {
    const char *id;
    const char *owner;
    uint32_t version;    /* committed; 0 = only its first change is pending */
    bool over;           /* released, or failed */
    bool failed;         /* its change was refused at its edge, and it has nothing */
    const void *current; /* NULL = it holds nothing */
    bytes_t part;        /* committed; empty = nothing */
    txid_t made_by;      /* when version > 0 */
} reservation_view_t;

/*  False when it is not known. */
bool participant_find (const participant_t *self, const char *reservation,
                       reservation_view_t *view);

/*  The reservation with the next greater id; the first for NULL; false at the end. */
bool participant_next (const participant_t *self, const char *after, reservation_view_t *view);

/*  The plan of one claim's command, a copy: codec_clear; and its part, borrowed until the next
 *  step. False when it is not known, or has no plan because a tombstone was made before it came. */
bool participant_command (const participant_t *self, const txid_t *txid, plan_t *plan,
                          bytes_t *part);

/*  Visit the commands that are in memory, ascending by txid, until visit says false: those of
 *  claims all are, others until they have ended and all have acknowledged it. */
typedef struct {
    const plan_t *plan;
    command_state_t state;
    bytes_t part;
    bool done;    /* everybody has acknowledged it, or a repair has amended it (T10) */
    bool amended; /* a repair has amended its answer */
} command_view_t;
void participant_commands (const participant_t *self, const txid_t *after,
                           bool (*visit) (void *owner, const command_view_t *command), void *owner);

/*  --- for a service that coordinates commands of its own (libcommon/plus/plus.h): the
 *  coordinator's store is the participant's, and nobody else takes part. What is granted is held
 *  for as long as the caller says, and decided in one write, so there never is a doubt. --- */

/*  May the others be asked about this command now? If not, its record must be read first: the
 *  request is served again when it has been, or has been refused. */
bool participant_ready (participant_t *self, const request_t *request, const txid_t *txid);

/*  Takes a hold with a new txid whose only participant and coordinator are this store. *answer says
 *  how it stands, or why it was refused; end it with codec_clear. False with why when the hold is
 *  not understood. */
bool participant_local_hold (participant_t *self, const moment_t *now, hold_t *hold,
                             uint32_t ttl_ms, command_answer_t *answer, char why [WHY_BYTES]);

/*  Votes and decides in one write. A command that has ended is answered with its state and a
 *  refusal. */
void participant_local_commit (participant_t *self, const moment_t *now, const txid_t *txid,
                               command_answer_t *answer);
void participant_local_abort (participant_t *self, const moment_t *now, const txid_t *txid,
                              command_answer_t *answer);

/*  How a command stands; COMMAND_UNKNOWN when it is not, or no longer, known. expires_ms (wall) is
 *  set while it is held. actor, of NAME_BYTES_MAX + 1 bytes, is set to the actor it was made for;
 *  "" = not known. */
command_answer_t participant_local_state (participant_t *self, const moment_t *now,
                                          const txid_t *txid, char *actor, int64_t *expires_ms);

/*  The plan that made the committed version; the caller owns it: codec_clear. False when it is not
 *  on record any more. */
bool participant_made_by (participant_t *self, const char *reservation, plan_t *plan);

/*  The change of a reservation that is pending, and the part that it asks for here, borrowed until
 *  the next step; false when there is none. */
bool participant_pending (const participant_t *self, const char *reservation, txid_t *txid,
                          bytes_t *part);

/*  --- for readmission.h (T14) --- */

/*  While readmitting, the participant grants nothing, and gives no information about a txid that it
 *  does not know. */
void participant_readmitting (participant_t *self, bool readmitting);

/*  A committed version of a reservation, as a home tells of it. Borrows. */
typedef struct {
    const plan_t *plan;
    bytes_t packed_plan; /* kept with it; empty when another plan made this version */
    uint32_t version;
    bool over; /* released, or failed: part is empty */
    bytes_t part;
} readmitted_t;

typedef enum {
    READMIT_KNOWN, /* nothing is to be done: it is known here, or its time is over */
    READMIT_BOOKED,
    READMIT_GIVEN_BACK, /* less is booked than was known here, or nothing */
    READMIT_REFUSED,    /* it can't be booked: why tells; nothing has changed */
} readmit_t;

/*  Books it, and puts its record and its ledger row. A change that is pending on an older version
 *  is aborted, because it is not what made this one. */
readmit_t participant_readmit (participant_t *self, const moment_t *now,
                               const readmitted_t *readmitted, char why [WHY_BYTES]);

/*  A home says that this txid was committed: if it waits for its decision here, it is committed. */
void participant_told_committed (participant_t *self, const moment_t *now, const txid_t *txid);

#endif
