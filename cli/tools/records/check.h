/*  check - judges the participants' own records: are transactions whole, do reservations have what
 *  was asked for, is nothing overbooked?
 *
 *  It trusts no planner. Given every participant's command records and the classes of nodes and the
 *  links that it describes, it finds
 *
 *      - a transaction committed at one participant of its plan and not at another, or of which two
 *        have different plans,
 *      - a reservation that does not have what its request asks: CPUs for each compute need, and
 *        for each network need whose ends are at different sites a chain of circuits that leads
 *        from the one to the other, with the bandwidth, over the time, within the latency asked,
 *      - something booked that nobody asked for, or that a later version has given up,
 *      - a class, a link or a storage node with more booked than there is of it, at any instant,
 *      - a vote without a decision, or a hold, past its limit,
 *      - two reservations that one request made,
 *      - an answer told to a user that the records contradict.
 *
 *  Pure. It shares no code with calendar, participant, planner, graph or path, except the structs
 *  of messages. */
#ifndef MUSUBI_CHECK_H
#define MUSUBI_CHECK_H

#include "domain.h"
#include "user_request.h"

typedef struct check check_t;

check_t *check_new (void);
void check_destroy (check_t **self_p);

/*  --- what there is --- */
/*  A class of a participant, with the time kept free after each booking. */
void check_class (check_t *self, const char *participant, const node_class_t *class,
                  int64_t cleaning_gap_ms);

/*  A link of a domain ("nis/N"), and a vertex as that domain describes it. A site's vertex has the
 *  short name of the site ("ams"). */
void check_link (check_t *self, const char *participant, const link_t *link);
void check_vertex (check_t *self, const char *participant, const vertex_t *vertex);

/*  A storage node of a site ("replica/ams"). */
void check_disk (check_t *self, const char *participant, const storage_offer_t *disk);

/*  A participant that says that it has less than it has promised: that is no violation. */
void check_lacks (check_t *self, const char *participant);

/*  A participant that could not be asked: what concerns it is counted, not judged. */
void check_silent (check_t *self, const char *participant);

/*  The store that answers under this name now. Where a plan names another store of the participant,
 *  that one was lost and its reservations were booked again (T14): its votes are on nobody's
 *  record, and rightly. */
void check_store (check_t *self, const char *participant, const uint8_t store [STORE_ID_BYTES]);

/*  What the participant's clock says. Where it is ahead of the judge's, its bookings end by its own
 *  clock. */
void check_clock (check_t *self, const char *participant, int64_t wall_ms);

/*  --- what was asked and recorded --- */

/*  One command as the participant recorded it, with what it books there. */
typedef struct {
    char participant [NAME_BYTES_MAX + 1];
    plan_t plan; /* of a tombstone its txid alone */
    command_state_t state;
    compute_booking_t *bookings;
    size_t bookings_count;
    circuit_t *circuits;
    size_t circuits_count;
    space_booking_t *space;
    size_t space_count;
    user_request_t *request; /* as its plan keeps it; NULL: no request is on record */
    bool done;               /* all are known to have acknowledged */
    int64_t held_ms;
    int64_t prepared_ms;
    uint32_t epoch;
    char fenced_by [NAME_BYTES_MAX + 1];
} check_record_t;
extern const codec_t check_record_codec; /* without the plan and the request */
void check_record_clear (check_record_t *self);

/*  Everything is copied, except the record's own participant. */
void check_command (check_t *self, const char *participant, const check_record_t *record);

/*  What a user was answered: done (committed), or refused; reservation may be "". */
void check_answer (check_t *self, const char *request_id, const char *reservation, bool done);

/*  Overbooking is judged elsewhere, against the capacities of the time: it is not looked for here,
 *  where only those of now are known. */
void check_booked_elsewhere (check_t *self);

/*  --- the verdict --- */

typedef struct {
    size_t transactions; /* with at least one commit */
    size_t reservations; /* standing: last version neither released nor empty */
    size_t connections;  /* between different sites, of reservations of which all parts could be
                            judged */
    size_t circuits;     /* that these are made of */
    size_t unasked;      /* reservations whose request is on nobody's record: not compared with
                            one */
    size_t answers;
    size_t pending;  /* held or prepared commands: fine while work goes on */
    size_t unjudged; /* transactions with a silent participant */
    size_t lost;     /* with a participant whose store was lost since (T14) */
    size_t repaired; /* edge refused, then put right or released at the others (T10) */
    size_t violations;
} check_result_t;

/*  Judges. tell is called with a sentence for each violation. now_ms: wall time, for limits of
 *  holds, and for what is over; settled: also a hold or vote that is still within its limit is a
 *  violation. */
check_result_t check_judge (check_t *self, int64_t now_ms, bool settled,
                            void (*tell) (void *owner, const char *sentence), void *owner);

#endif
