/*  circuit_usage - which reservations' circuits may carry traffic.
 *
 *  A reservation is provisioned when its owner or an administrator has asked for it, or, where the
 *  domain says so, by itself when its first window opens, unless it was given up before. It is
 *  active while it is provisioned and one of its windows is open by both clocks. The back end is
 *  `none`: nothing is switched; the state is only reported and stored.
 *
 *  What was asked is kept in TABLE_USES until the reservation is forgotten or left. Publishes the
 *  topic "use", without a body, when a reservation becomes active or is no longer. Pure.
 */
#ifndef MUSUBI_CIRCUIT_USAGE_H
#define MUSUBI_CIRCUIT_USAGE_H

#include "change_notice.h"
#include "ordered.h"
#include "timetable.h"

typedef enum { USE_ASKED, USE_AT_START } use_mode_t;

typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
    bool asked; /* its owner has asked, or it began by itself: kept in the store */
    bool provisioned;
    bool active;
    int64_t turn_ms; /* wall: a window opens or closes; INT64_MAX = none ahead, not in turns */
} use_t;

typedef struct uses {
    service_t *service;
    const access_t *access;
    const participant_t *participant;
    use_mode_t mode;
    ordered_t *by_reservation;
    ordered_t *turns; /* by time, then reservation */
    uint64_t timer;
    change_notice_t notice;
} circuit_usage_t;

/*  Registers its methods, table and start with the service, which is borrowed for life. Comes
 *  before the participant, which wants its usage, and ends after it. */
circuit_usage_t *circuit_usage_new (service_t *service, const access_t *access, use_mode_t mode);
void circuit_usage_destroy (circuit_usage_t **self_p);

void circuit_usage_tell (circuit_usage_t *self, usage_t *usage);

/*  The participant knows the reservations; borrowed for life. Call it before the first step. The
 *  participant starts before this. */
void circuit_usage_attach (circuit_usage_t *self, const participant_t *participant);

#endif
