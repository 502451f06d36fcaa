/*  plus - S3's two-phase reservation interface of one site, or of its storage (proto/plus.proto):
 *  Factory, Reservation, Command.
 *
 *  The provider coordinates these commands itself. Each is a command of its participant, held until
 *  it is committed or aborted, or its time is over; the old version stands until then (S3 §2). A
 *  reservation that was made here is like any other: planners change and release it. Only planners
 *  change one that has parts at other sites too.
 *
 *  The same request id of an actor gets the same answer again, also a refusal; the answer is stored
 *  in the write of its change (R9). With another body it is refused. Pure.
 */
#ifndef MUSUBI_PLUS_H
#define MUSUBI_PLUS_H

#include "timetable.h"

typedef struct {
    int64_t wait_ms;      /* how long a command waits for its commit */
    uint32_t created_max; /* reservations created and not reserved yet */
    uint32_t created_per_actor_max;
    uint32_t asked_max;   /* request ids kept with what was granted */
    uint32_t refused_max; /* and with a refusal */
    int64_t asked_ms;     /* how long they are kept: as the service keeps its records */
    uint32_t list_max;    /* reservations in a page */
    uint32_t looks_max;   /* reservations looked at for a page, shown or not */
} plus_limits_t;

extern const setting_table_t plus_table;

#define PLUS_WAIT_MS_MAX 3600000

/*  The service and what it serves; all borrowed for life, the reader copied. */
typedef struct {
    service_t *service;
    part_reader_t reader; /* of PART_COMPUTE or PART_SPACE */
    free_capacity_t *room;
    participant_t *participant;
    const access_t *access;
} plus_parts_t;

typedef struct plus plus_t;

/*  Registers Factory, Reservation, Command and TABLE_PLUS. limits are copied. */
plus_t *plus_new (const plus_parts_t *parts, const plus_limits_t *limits);
void plus_destroy (plus_t **self_p);

#endif
