/*  circuit_usage - which reservations' circuits may carry traffic.
 *
 *  A reservation is provisioned when its owner or an administrator has asked for it, or, where the
 *  domain says so, by itself when its first window opens, unless it was given up before. It is
 *  open while it is provisioned and one of its windows is open by both clocks. A back end brings
 *  that about (circuit_back_end.h); without one nothing is switched, and what is open is active.
 *
 *  What was asked is kept in TABLE_USES until the reservation is forgotten or left. Publishes the
 *  topic "use", without a body, when a reservation becomes open or active, or is no longer. Pure.
 */
#ifndef MUSUBI_CIRCUIT_USAGE_H
#define MUSUBI_CIRCUIT_USAGE_H

#include "change_notice.h"
#include "circuit_back_end.h"
#include "ordered.h"
#include "timetable.h"

typedef enum { USE_ASKED, USE_AT_START } use_mode_t;

typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
    bool asked; /* its owner has asked, or it began by itself: kept in the store */
    bool provisioned;
    bool open;         /* it is, and so is one of its windows: its circuits are wanted */
    traffic_t traffic; /* which of it is meant: kept in the store */
    int64_t turn_ms;   /* wall: a window opens or closes; INT64_MAX = none ahead, not in turns */
} use_t;

/*  As users are told. */
typedef struct {
    bool provisioned;
    bool active;
    circuit_state_t state; /* by the back end */
    char trouble [WHY_BYTES];
} use_told_t;

typedef struct uses {
    service_t *service;
    const access_t *access;
    const participant_t *participant;
    use_mode_t mode;
    ordered_t *by_reservation;
    ordered_t *turns; /* by time, then reservation */
    uint64_t timer;
    change_notice_t notice;
    circuit_back_end_t back_end; /* its want is NULL = none */
} circuit_usage_t;

/*  Registers its methods, table and start with the service, which is borrowed for life. Comes
 *  before the participant, which wants its usage, and ends after it. */
circuit_usage_t *circuit_usage_new (service_t *service, const access_t *access, use_mode_t mode);
void circuit_usage_destroy (circuit_usage_t **self_p);

/*  Before the first step. The back end ends after this; circuit_usage_moved, with this as its
 *  owner, is what it tells. */
void circuit_usage_back_end (circuit_usage_t *self, circuit_back_end_t back_end);
circuit_state_fn circuit_usage_moved;

void circuit_usage_tell (circuit_usage_t *self, usage_t *usage);

/*  The participant knows the reservations; borrowed for life. Call it before the first step. The
 *  participant starts before this. */
void circuit_usage_attach (circuit_usage_t *self, const participant_t *participant);

#endif
