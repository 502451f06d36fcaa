/*  plus_state - what the files of plus share; nobody else includes it.
 *
 *  plus.c              Factory, Command; puts the parts together
 *  plus_requests.c     what is created and not reserved yet, and what was asked before
 *  plus_reservation.c  Reservation
 *  plus_bookings.c     what a command wants booked
 *  plus_wire.c         codecs of proto/plus.proto
 */
#ifndef MUSUBI_PLUS_STATE_H
#define MUSUBI_PLUS_STATE_H

#include "ordered.h"
#include "plus.h"
#include "plus_wire.h"

#define PLUS_RESERVE_PARTS 10 /* the last tenth of the store is for decisions (T13) */

#define PLUS_KEY_BYTES (NAME_BYTES_MAX + REQUEST_ID_BYTES_MAX + 3)

/*  Keys in the store: 'c' and the id of a reservation that is created; or 'q', the actor, a NUL and
 *  the request id. */
typedef struct {
    uint8_t bytes [PLUS_KEY_BYTES];
    size_t size;
} plus_key_t;

typedef struct {
    char id [NAME_BYTES_MAX + 1];
    plus_created_t kept;
} created_t;

typedef struct {
    plus_key_t key;
    plus_asked_t asked;
} plus_request_entry_t;

struct plus {
    plus_parts_t parts;
    plus_limits_t limits;
    ordered_t *created; /* by id */
    ordered_t *asked;   /* by key */
    size_t refused;     /* of asked */
    uint64_t counter;   /* numbers the txids of this start */
};

/*  --- plus.c --- */

/*  Answers how a command stands; NOT_FOUND when it is no longer known. */
void plus_tell_command (plus_t *self, const moment_t *now, const request_t *request,
                        const txid_t *command);

/*  Answers what has just happened to a command, and clears the answer. */
void plus_tell_answer (plus_t *self, const moment_t *now, const request_t *request,
                       command_answer_t *answer);

/*  --- plus_requests.c --- */

/*  Adds a reservation that is created, and its record. It is kept as long as a command waits. */
void plus_created_add (plus_t *self, const char *reservation, const char *owner, int64_t now_ms);

/*  Keeps it for as long again, from then on, if it is only created. */
void plus_created_prolong (plus_t *self, const char *reservation, int64_t from_ms);
size_t plus_created_by (const plus_t *self, const char *actor);

/*  True when this request was asked before: *asked tells what became of it. When that is NULL the
 *  request is answered here: it was refused before, or its id came with another body. */
bool plus_asked_before (plus_t *self, const request_t *request, const plus_request_entry_t **asked);

/*  Is there room for one more? False, with the request refused, if not. A sweep deletes the
 *  oldest. */
bool plus_asked_room (plus_t *self, const request_t *request);

/*  Keeps a request and its record. command is NULL for a create. */
void plus_asked_keep (plus_t *self, const moment_t *now, const request_t *request,
                      const char *reservation, const txid_t *command);

/*  Refuse a request and keep the refusal; when it can't be kept the answer is OVERLOADED, which
 *  promises nothing. plus_refuse_command refuses with a command's answer, and clears that. */
void plus_refuse (plus_t *self, const moment_t *now, const request_t *request,
                  const char *reservation, call_status_t status, const char *format, ...)
  __attribute__ ((format (printf, 6, 7)));
void plus_refuse_command (plus_t *self, const moment_t *now, const request_t *request,
                          const char *reservation, command_answer_t *answer);

/*  Make, load, sweep and end both tables. */
void plus_tables_make (plus_t *self);
void plus_tables_load (void *owner, bytes_t key, bytes_t value);
void plus_tables_sweep (plus_t *self, const moment_t *now);
void plus_tables_destroy (plus_t *self);

/*  --- plus_reservation.c --- */

method_fn plus_on_change; /* Reserve, Modify, Release */
method_fn plus_on_properties;

#endif
