/*  participant_rig - a participant with the resource of a site or of a network domain, its clocks
 *  turned by hand, and a store that forgets what was not flushed.
 *
 *  Everything goes in by events and comes out by effects, as with a host. After every step the
 *  invariants of the participant and of the timetable are walked.
 */
#ifndef MUSUBI_PARTICIPANT_RIG_H
#define MUSUBI_PARTICIPANT_RIG_H

#include "circuits.h"
#include "participant.h"
#include "timetable.h"

#include "fuzzing.h"

enum {
    RIG_RECORDS_MAX = 512, /* rows not counted */
    RIG_ROWS_MAX = 256,    /* in one answer */
    RIG_CALLS_MAX = 128,
    RIG_WANTS_MAX = 64,
};

#define RIG_WALL_MS   INT64_C (1800000000000)
#define RIG_MINUTE_MS INT64_C (60000)

/*  A record as it is in memory and as it is on disk; data NULL = it does not exist there. */
typedef struct {
    uint8_t table;
    packed_t key;
    packed_t now;
    packed_t flushed;
} rig_record_t;

typedef struct {
    rig_record_t *list;
    size_t count;
    size_t size;
} rig_records_t;

/*  A question that the participant has asked and that is not answered yet. */
typedef struct {
    uint64_t call;
    bool outcome; /* else a Resolve */
    uint8_t to_store [STORE_ID_BYTES];
    txid_t txid;
} rig_call_t;

/*  A stored command that the participant wants to see. */
typedef struct {
    uint64_t read;
    packed_t key;
} rig_want_t;

typedef struct rig {
    bool network; /* a domain's, else a site's */
    const char *name;
    uint8_t store_id [STORE_ID_BYTES];
    uint32_t start;
    moment_t now;
    int64_t alarm_ms;

    service_t *service;
    free_capacity_t *room;
    circuits_t circuits;
    timetable_t *timetable;
    resource_t resource;
    participant_t *participant;
    participant_limits_t limits;
    access_t access;

    rig_records_t records;
    rig_records_t rows; /* of the ledger */
    size_t puts;        /* of the last step, rows not counted */
    read_order_t read;  /* rows that are asked for; most == 0: none */
    packed_t read_from;
    rig_want_t wants [RIG_WANTS_MAX];
    size_t wants_count;
    rig_call_t calls [RIG_CALLS_MAX];
    size_t calls_count;
    bool replied; /* in the last step */
    call_status_t status;
    char reason [256]; /* "" when it is CALL_OK */
    packed_t reply;

    /*  Called after every step except those that load records. */
    void (*looked) (void *owner);
    void *owner;
} rig_t;

/*  Starts it on an empty store. */
void rig_begin (rig_t *self, bool network, void (*looked) (void *owner), void *owner);
void rig_end (rig_t *self);

/*  Frees body. Every request must be answered in its step. */
void rig_request (rig_t *self, const char *actor, const char *method, packed_t body);

/*  Answers the question at this place in the list. */
void rig_answer (rig_t *self, size_t at, call_status_t status, bytes_t body);

/*  Time passes, alarm by alarm. */
void rig_pass (rig_t *self, int64_t ms);

/*  Flushes: every record is on disk now. */
void rig_flush (rig_t *self);

/*  The process dies, loses whatever was not flushed, and is started again. */
void rig_crash (rig_t *self);

#endif
