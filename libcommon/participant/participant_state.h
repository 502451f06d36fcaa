/*  participant_state - what the files of the participant share; nobody else includes it.
 *
 *  participant.c          the verbs on a command that is known: renew, prepare, commit, abort, …
 *  participant_hold.c     HOLD: the checks, the refusals, the taking
 *  participant_states.c   what may follow what
 *  participant_command.c  one command: its states, and everything that moves with them
 *  participant_records.c  the tables in memory and in the store; start; pruning
 *  participant_shelf.c    commands that have ended
 *  participant_reads.c    requests that wait for their records
 *  participant_tombstone.c     tombstones
 *  participant_in_doubt.c    votes without a decision (T7)
 *  participant_claim.c    the answer that a home keeps (T2, T10)
 *  participant_resolve.c    what others ask or say about a txid: resolve, fence, outcome
 *  participant_show.c     show, list, commands
 *  participant_local.c    commands that this store itself coordinates
 *  participant_readmit.c  what a lost store had promised, booked again (T14)
 *  participant_wire.c     bodies and records, to and from proto/transaction.proto
 */
#ifndef MUSUBI_PARTICIPANT_STATE_H
#define MUSUBI_PARTICIPANT_STATE_H

#include "ledger.h"
#include "ordered.h"
#include "part_record.h"
#include "participant.h"
#include "participant_records.h"
#include "participant_states.h"

#include <sys/queue.h>

#define RELEASE_WAIT_MS         10000    /* a release that met a pending change keeps others out */
#define DECIDE_AHEAD_MS_MAX     3600000  /* a plan must be decided within an hour */
#define TOMBSTONE_AHEAD_MS_MAX  86400000 /* how far ahead decide_by may lie in a RESOLVE */
#define EDGE_LOOK_MS_MAX        60000    /* a far edge is checked this often: clocks get stepped */
#define ASK_TIMEOUT_MS          1000     /* patience with a question in doubt */
#define DONE_LAZY_MS            5000     /* how long marks wait for a write to go with */
#define DONE_BATCH              256      /* marks that go with one write */
#define PRUNE_STEP              256      /* records looked at in one go */
#define PRUNE_PACE_MS           50       /* between two goes of one sweep, */
#define PRUNE_BUSY_MS           5        /* less while there is something to prune */
#define PRUNE_REST_MS_MIN       1000     /* between two sweeps: an eighth of the retention, */
#define PRUNE_REST_MS_MAX       600000   /* within these bounds */
#define PRUNE_ASKS_MAX          16       /* questions for acknowledgement in one go */
#define RECORD_READS_MAX        4096 /* records of shelved commands that are being read at once */
#define PAGE_READS_MAX          1024 /* of them for one page */
#define DRIFTED_TOLD_MAX        64   /* reservations that don't fit the configuration, in the log */
#define LOOKS_MAX               4096 /* records looked at for one page, told or not */
#define STORE_RESERVE_PARTS     10   /* the last tenth of the store is for decisions (T13), */
#define LEDGER_ROOM_BYTES       1024 /* and so much for the rows that each open command may need */
#define TOMBSTONE_RESERVE_PARTS 20   /* the last twentieth takes no tombstones of unknown txids */

typedef struct command command_t;
typedef struct reservation reservation_t;
typedef struct doubt doubt_t;

/*  How many open commands one actor or one planner has; kept while any command names it. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    size_t commands;   /* that name it */
    size_t open;       /* of those, held or prepared */
    size_t tombstoned; /* of those, tombstones */
} tally_t;

struct command {
    participant_t *participant;
    txid_t txid;
    command_state_t state;
    operation_t operation;
    bool late;
    bool done;
    bool amended;       /* a claim that has the answer of a repair (T10) */
    bool done_unstored; /* in the list of marks that wait for a write */
    bool shelving;      /* in the list of those that are shelved at the end of the step */
    part_kind_t part_kind;
    packed_t plan; /* empty for a tombstone */
    packed_t part;
    span_t span;      /* the part's */
    bool plan_untold; /* not yet in a row of the ledger */
    bool part_untold;
    char *request;    /* actor, line feed, request id, if it has a home; else NULL (T2) */
    tally_t *actor;   /* NULL for a tombstone */
    tally_t *planner; /* the coordinator; of a tombstone, whose store made the txid */
    uint32_t base_version;
    int64_t decide_by_ms; /* wall; and both counted monotonically from the receipt (T15) */
    int64_t decide_mono_ms;
    int64_t edge_ms;
    int64_t edge_mono_ms;
    int64_t held_ms; /* wall */
    int64_t held_mono_ms;
    int64_t expires_ms; /* wall */
    int64_t expires_mono_ms;
    int64_t prepared_ms; /* wall; 0 = never voted */
    uint32_t epoch;      /* that it was fenced with; 0 = never (T8) */
    char fenced_by [NAME_BYTES_MAX + 1];
    int64_t until_ms;           /* retention counts from here */
    reservation_t *reservation; /* while the change is pending; never for a claim */
    void *taken;                /* the resource's, while held or prepared */
    void *claim;                /* the resource's, of a committed claim */
    uint64_t timer;             /* held: its expiry; prepared: its edge */
    uint64_t doubt_timer;
    doubt_t *doubt;                  /* questions under way */
    uint64_t question;               /* has everyone acknowledged? asked before pruning */
    TAILQ_ENTRY (command) open_link; /* held or prepared, oldest first; or shelving */
    TAILQ_ENTRY (command) done_link;
};

struct reservation {
    uint32_t version;          /* committed; 0 = only the first change is pending */
    part_kind_t part_kind : 8; /* few bits: there are many reservations */
    bool released : 1;
    bool failed : 1;
    txid_t made_by;  /* when version > 0 */
    packed_t part;   /* of what is booked; empty = nothing */
    packed_t was;    /* of what was, until it was released */
    packed_t plan;   /* as a home told it (T14); empty = the command made_by has it */
    span_t span;     /* over which it books */
    int64_t keep_ms; /* retention counts from here: the latest end it ever had */
    void *current;   /* the resource's; NULL = nothing */
    command_t *pending;
    int64_t release_wait_mono_ms; /* until then a release that met a pending change goes first */
    const char *owner;
    char id []; /* then the owner: most names are short */
};

/*  A command that has ended, and that all have acknowledged if it was decided. Its record is in the
 *  store alone. */
typedef struct shelved shelved_t;
struct shelved {
    txid_t txid;
    uint64_t request;  /* hash of the text that a command has; 0 = none, or it came to nothing */
    int64_t until_ms;  /* as a command has it */
    shelved_t *beside; /* another one in its bucket of requests */
};

TAILQ_HEAD (command_list, command);

struct participant {
    service_t *service;
    resource_t resource;
    participant_limits_t limits;
    const access_t *access;
    ordered_t *commands;     /* by txid; together with the shelf, all that are known */
    ordered_t *shelf;        /* shelved, by txid */
    shelved_t **requests;    /* shelved with a request, in buckets by its hash, */
    size_t buckets;          /* a power of two, */
    size_t requests_count;   /* so many */
    ordered_t *requested;    /* commands with a request, by request and txid; empty at a home */
    ordered_t *unreadable;   /* txids of records that could not be understood */
    ordered_t *reservations; /* by id */
    ordered_t *actors;       /* tallies */
    ordered_t *planners;
    struct command_list open;
    struct command_list done_unstored;
    struct command_list shelving;
    ordered_t *waits;  /* requests that wait for records, */
    size_t reads;      /* for so many in all */
    bool served_again; /* the request that is being served has waited */
    uint64_t done_timer;
    uint64_t shelf_timer;
    size_t open_count;
    size_t tombstones_count;
    bool readmitting; /* what a lost store had promised is being booked again (T14) */
    uint64_t prune_timer;
    bool prune_reservations; /* which table the sweep is in */
    txid_t prune_txid;       /* how far it is there */
    bool prune_begun;
    char prune_id [NAME_BYTES_MAX + 1];
};

/*  --- participant.c --- */

/*  Answers a command verb, and counts a refusal. Clears the answer. */
void participant_answer (participant_t *self, const request_t *request, command_answer_t *answer);

/*  Answers with the refusal in the answer; when there is none, refuses the request as not
 *  understood, with why. */
void participant_answer_or_refuse (participant_t *self, const request_t *request,
                                   command_answer_t *answer, const char *why);

/*  Counts and logs an answer that is a refusal. */
void participant_count_refusal (participant_t *self, const request_t *request,
                                const command_answer_t *answer);

/*  Says why not, in one sentence. Returns false, so that a check can return it. */
bool refuse_with (refusal_t *refusal, refusal_reason_t reason, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));

/*  PREPARE of a command that is held, and the answer to it. */
void participant_vote (command_t *command, const moment_t *now, const request_t *request);

/*  Begins every verb: finds the command, NULL when it is not known, and checks the caller's right.
 *  False when the request has been answered. */
bool participant_begin (participant_t *self, const moment_t *now, const request_t *request,
                        verb_t verb, const txid_t *txid, command_t **command);
bool participant_may (const participant_t *self, verb_t verb, const request_t *request,
                      const txid_t *txid, const command_t *command);
void participant_answer_may_not (participant_t *self, const request_t *request, const txid_t *txid);

/*  The answer to a verb that does not fit the state: the state says how the command ended. */
command_answer_t participant_ended (const moment_t *now, const txid_t *txid,
                                    const command_t *command);
void participant_answer_ended (participant_t *self, const moment_t *now, const request_t *request,
                               const txid_t *txid, const command_t *command);

/*  A tombstone for a txid that is not known here. NULL when there is no room for one: then the
 *  request has been answered, and nothing was said or promised about the txid (T7). */
command_t *participant_tombstone_asked (participant_t *self, const moment_t *now,
                                        const request_t *request, const txid_t *txid,
                                        int64_t decide_by_ms, command_event_t event);

/*  --- participant_resolve.c --- */

method_fn participant_on_resolve;
method_fn participant_on_fence;
bool participant_is_planner (const char *name);
bool participant_is_home (const char *name);
method_fn participant_on_outcome;

/*  May the caller decide in this epoch? Epoch 0 is the coordinator's own, any other that of the
 *  caller's fence. False when the request has been answered: the caller may not, or a later epoch
 *  is in force. */
bool participant_epoch_valid (participant_t *self, const moment_t *now, const request_t *request,
                              const txid_t *txid, const command_t *command, uint32_t epoch);

/*  --- participant_command.c --- */

/*  Its plan, decoded anew; end it with codec_clear. Only for a command that has one. */
plan_t command_plan (const command_t *self);

/*  Decodes a part that was checked before; of kind PART_NONE when it is empty. End it with
 *  part_clear. */
part_body_t part_kept (part_kind_t kind, packed_t packed);

/*  Moves it, with all that follows: capacity, reservation, timers, records, log, counters. The
 *  table in participant_states.c must have the step. */
void command_move (command_t *self, const moment_t *now, command_state_t to, command_event_t event);

/*  Applies what time alone does to it: a held one expires, a prepared one meets its edge. */
void command_age (command_t *self, const moment_t *now);

/*  Sets the timer that its state needs. */
void command_watch (command_t *self, const moment_t *now);

/*  The coordinator has committed: commits the command or, past its edge, tries to book it again
 *  (T9). Only while prepared or at the edge. */
void command_decide_commit (command_t *self, const moment_t *now, command_event_t event);

/*  T15: has the edge passed by both clocks, so that one stepped clock makes no edge? Has it passed
 *  by either, so that no vote is given past it? Never for a claim. */
bool command_edge_passed (const command_t *self, const moment_t *now);
bool command_edge_near (const command_t *self, const moment_t *now);

/*  Has decide_by passed by both clocks? By either? */
bool command_decide_passed (const command_t *self, const moment_t *now);
bool command_decide_near (const command_t *self, const moment_t *now);

/*  Counts decide_by and edge monotonically from now on. */
void command_clock (command_t *self, const moment_t *now);

bool command_open (const command_t *self);     /* held or prepared: it takes capacity */
bool command_finished (const command_t *self); /* no verb changes it any more */

/*  Counts it while it is open: for its actor, for its planner, and in all. */
void command_count (command_t *self, bool open);

/*  Every participant has acknowledged it (T6). Stored with the next write. */
void command_mark_done (command_t *self, const moment_t *now);

/*  Of a command that is done, or amended. */
void command_tell_final (const command_t *self);

/*  The answer to a verb: where it stands now. */
command_answer_t command_answer (const command_t *self, const moment_t *now);

/*  --- participant_records.c --- */

/*  Another txid by which the request of this plan was committed here; NULL = there is none (T2). */
const command_t *command_of_request (const participant_t *self, const plan_t *plan);

/*  The text of a request, as a command has it; the caller frees it. */
char *command_request_text (const plan_t *plan);

/*  Makes a command of its stored record. NULL, told, when that can't be understood. */
command_t *command_read (participant_t *self, const txid_t *txid, bytes_t record);

/*  A new command, in the table; txid and plan are copied. plan NULL: a tombstone. */
command_t *command_new (participant_t *self, const txid_t *txid, const plan_t *plan);
void command_free (command_t *self);

/*  Puts its record, and the ledger row that tells what has changed in it. */
typedef struct {
    command_state_t from;
    const char *event;
    bool by_time;         /* not by the request that is being served */
    uint32_t old_version; /* of the reservation, committed here; 0 = none, or it stays */
    uint32_t new_version;
} change_t;
void command_put (command_t *self, const change_t *change);

reservation_t *reservation_find (const participant_t *self, const char *id);
reservation_t *reservation_new (participant_t *self, const char *id, const char *owner);
void reservation_free (participant_t *self, reservation_t *reservation);
void reservation_put (participant_t *self, reservation_t *reservation);

/*  Sets the part that it books from now on: copied. */
void reservation_part (reservation_t *reservation, part_kind_t kind, bytes_t part, span_t span);

/*  Is there a record of this txid that could not be understood? Then nothing is known of it, not
 *  even that it never voted. */
bool records_unreadable (const participant_t *self, const txid_t *txid);

void records_register (participant_t *self);
void records_start (participant_t *self, const moment_t *now);
void records_destroy (participant_t *self);

/*  Marks of done (T6) are stored a few at a time, with other writes; if no write comes, all of them
 *  are stored after a while. */
void records_done_later (participant_t *self, const moment_t *now);

/*  --- participant_shelf.c --- */

/*  Only when reads_ready has said so: it may not be on the shelf. */
command_t *command_find (const participant_t *self, const txid_t *txid);

/*  Is there such a command? Is it on the shelf? */
bool command_known (const participant_t *self, const txid_t *txid);
bool command_shelved (const participant_t *self, const txid_t *txid);

void shelf_open (participant_t *self);
void shelf_close (participant_t *self);

/*  Its record has been read: it is a command until the end of this step at least, or its record
 *  can't be understood. Nothing if it is not on the shelf any more. */
void shelf_fetch (participant_t *self, const txid_t *txid, bytes_t record);

/*  Shelves a stored record of a command that has ended; false when it is of another, or unsound. */
bool shelf_load (participant_t *self, const txid_t *txid, bytes_t record);

/*  At the end of this step, if it has ended by then and is nobody's concern any more. */
void shelf_later (command_t *command);

/*  What comes next, shelved or else a command. */
shelved_t *shelf_next (const participant_t *self, const txid_t *after, command_t **command);
void shelf_drop (participant_t *self, shelved_t *shelved);

/*  How many may have made something of the request of this plan; their txids, if not NULL. */
size_t shelf_requested (const participant_t *self, const plan_t *plan, txid_t *txids);

/*  --- participant_reads.c --- */

/*  Is none of these commands on the shelf? If one is, the request is served again once their
 *  records have been read, or has been refused because too many are: return. */
bool reads_ready (participant_t *self, const request_t *request, const txid_t *txids, size_t count);
void reads_begin (participant_t *self);
void reads_end (participant_t *self);

/*  --- participant_tombstone.c --- */

/*  A txid that is not known here will never be held (T7, R5). NULL with *refusal when there is
 *  no room for its tombstone. */
command_t *command_make_tombstone (participant_t *self, const moment_t *now, const txid_t *txid,
                                   int64_t decide_by_ms, command_event_t event, refusal_t *refusal);

/*  --- participant_prune.c --- */

void prune_start (participant_t *self, const moment_t *now);

/*  --- participant_in_doubt.c --- */

/*  A vote has been given: asks about it if no decision comes within delay_ms. */
void doubt_watch (command_t *self, const moment_t *now, int64_t delay_ms);

/*  The delay less up to half of it, so that all who are in doubt about one planner do not ask in
 *  step. */
int64_t doubt_delay_ms (command_t *self, uint32_t delay_ms);

/*  No more questions. */
void doubt_end (command_t *self);

/*  Ask the coordinator whether everyone has acknowledged a commit; marks it so. */
void doubt_ask_done (command_t *self, const moment_t *now);

/*  --- participant_claim.c --- */

/*  The vote of a home may bring the answer to keep (T2). It must be a claim of the same request:
 *  another digest, or another answer once voted, is a conflict. False with *refusal, or why when
 *  the resource does not understand it. Checked before it is taken, because the resource asserts on
 *  what it takes. */
bool claim_complete (command_t *command, const moment_t *now, packed_t *claim, refusal_t *refusal,
                     char why [WHY_BYTES]);
method_fn participant_on_amend;

/*  Are both claims of the same request? Their answers are not compared. */
bool claims_match (packed_t kept, bytes_t other);

/*  --- participant_hold.c --- */

method_fn participant_on_hold;

/*  --- participant_readmit.c --- */

/*  False with *refusal while what was lost is being booked again. */
bool readmit_over (const participant_t *self, refusal_t *refusal);

/*  --- participant_show.c --- */

method_fn participant_on_show;
method_fn participant_on_list;
method_fn participant_on_commands;

/*  --- participant_wire.c --- */

packed_t command_record_encode (const command_t *self);

/*  The same for the ledger: what its rows have told already is left out. */
packed_t command_row_encode (const command_t *self);

packed_t reservation_record_encode (const reservation_t *self);

/*  A reservation as it is shown. Borrows. */
typedef struct {
    const char *participant;
    const reservation_t *reservation;
    record_state_t state;
    const moment_t *now;
    const usage_t *usage;
    bool lacks;          /* there is less than it was promised */
    bool whole;          /* show, not list */
    bool details;        /* the asker may see whose it is and what it books */
    const command_t *by; /* made the committed version, or the pending first one; NULL = pruned, */
    bool shelved;        /* or shelved */
} part_view_t;

/*  An answer of many records, within the bytes that a body may have. */
typedef struct page page_t;
page_t *page_new (uint32_t most);
void page_destroy (page_t **self_p);

/*  False when the page is full: the record is not in it. */
bool page_add_part (page_t *self, const part_view_t *view);
bool page_add_command (page_t *self, const command_t *command);

packed_t page_show_encode (const page_t *self); /* the first record, if any */

/*  next: where to go on; NULL when that is all. */
packed_t page_list_encode (const page_t *self, const char *next);
packed_t page_commands_encode (page_t *self, const txid_t *next);

#endif
