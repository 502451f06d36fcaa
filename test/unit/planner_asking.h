/*  planner_asking - requests that tests make of a planner in a small federation, and the answers
 *  that they expect. */
#ifndef MUSUBI_TEST_PLANNER_ASKING_H
#define MUSUBI_TEST_PLANNER_ASKING_H

#include "federation_fixture.h"
#include "message.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/*  --- asking --- */

typedef struct {
    uint32_t cpus [8];
    size_t needs;
    int64_t start_ms; /* from the epoch; 0 = earliest now, latest +6 h */
    int64_t duration_ms;
    bool distinct;
    const char *policy;
    bool dry_run;
} user_wish_t;

static inline uint64_t ask_reserve (fed_t *fed, const char *planner, const char *id,
                                    const user_wish_t *wish)
{
    Musubi__ReserveRequest reserve = MUSUBI__RESERVE_REQUEST__INIT;
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    Musubi__TimeFrame window = MUSUBI__TIME_FRAME__INIT;
    Musubi__Instant first = MUSUBI__INSTANT__INIT, last = MUSUBI__INSTANT__INIT;
    Musubi__ComputeNeed needs [8], *list [8];
    char ids [8][32];
    for (size_t i = 0; i < wish->needs; i++) {
        musubi__compute_need__init (&needs [i]);
        snprintf (ids [i], sizeof ids [i], "n%zu", i);
        needs [i].id = ids [i];
        needs [i].cpus = wish->cpus [i];
        list [i] = &needs [i];
    }
    if (wish->start_ms) {
        first.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
        first.at_ms = FED_EPOCH_MS + wish->start_ms;
        window.start = &first;
    } else {
        first.when_case = MUSUBI__INSTANT__WHEN_FROM_NOW_MS;
        last.when_case = MUSUBI__INSTANT__WHEN_FROM_NOW_MS;
        last.from_now_ms = 6 * FED_HOUR_MS;
        window.earliest = &first;
        window.latest = &last;
    }
    request.name = "test";
    request.window = &window;
    request.duration_ms = wish->duration_ms ? wish->duration_ms : FED_HOUR_MS;
    request.n_compute = wish->needs;
    request.compute = list;
    request.distinct_sites = wish->distinct;
    request.policy = (char *) (wish->policy ? wish->policy : "");
    reserve.request = &request;
    reserve.dry_run = wish->dry_run;
    return fed_ask (fed, planner, "Planner", "Reserve", "alice", id, &reserve.base, 60000);
}

static inline Musubi__Answer *read_answer (fed_t *fed, uint64_t id)
{
    call_status_t status;
    char reason [256];
    Musubi__Answer *answer =
      (Musubi__Answer *) fed_answer (fed, id, &musubi__answer__descriptor, &status, reason);
    if (!answer)
        fail_msg ("status %d: %s", (int) status, reason);
    assert (answer);
    return answer;
}

static inline Musubi__Answer *reserve (fed_t *fed, const char *planner, const char *id,
                                       const user_wish_t *wish)
{
    return read_answer (fed, ask_reserve (fed, planner, id, wish));
}

static inline void expect_status (const Musubi__Answer *answer, Musubi__AnswerStatus status)
{
    if (answer->status != status)
        fail_msg ("status %d, not %d: %s", (int) answer->status, (int) status,
                  answer->n_reasons ? answer->reasons [0]->text : "no reason");
}

static inline Musubi__ReservationView *show (fed_t *fed, const char *planner, const char *actor,
                                             const char *reservation)
{
    Musubi__ShowReservationRequest request = MUSUBI__SHOW_RESERVATION_REQUEST__INIT;
    request.reservation = (char *) reservation;
    call_status_t status;
    char reason [256];
    Musubi__ShowReservationAnswer *answer = (Musubi__ShowReservationAnswer *) fed_answer (
      fed, fed_ask (fed, planner, "Planner", "Show", actor, "", &request.base, 20000),
      &musubi__show_reservation_answer__descriptor, &status, reason);
    if (!answer)
        fail_msg ("status %d: %s", (int) status, reason);
    assert (answer);
    Musubi__ReservationView *view = answer->view;
    answer->view = NULL;
    message_free (&answer->base);
    return view;
}

static inline Musubi__Answer *release (fed_t *fed, const char *planner, const char *id,
                                       const char *reservation)
{
    Musubi__ReleaseRequest request = MUSUBI__RELEASE_REQUEST__INIT;
    request.reservation = (char *) reservation;
    return read_answer (
      fed, fed_ask (fed, planner, "Planner", "Release", "alice", id, &request.base, 60000));
}

static inline Musubi__Answer *modify_cpus (fed_t *fed, const char *planner, const char *id,
                                           const char *reservation, uint32_t cpus,
                                           int64_t duration_ms)
{
    Musubi__ModifyRequest request = MUSUBI__MODIFY_REQUEST__INIT;
    Musubi__NeedPatch patch = MUSUBI__NEED_PATCH__INIT, *list [] = {&patch};
    patch.id = "n0";
    patch.cpus = cpus;
    request.reservation = (char *) reservation;
    request.duration_ms = duration_ms;
    if (cpus) {
        request.compute = list;
        request.n_compute = 1;
    }
    return read_answer (
      fed, fed_ask (fed, planner, "Planner", "Modify", "alice", id, &request.base, 60000));
}

static inline bool lose_vote_answers (fed_t *fed, const fed_call_t *call)
{
    (void) fed;
    return strcmp (call->method, "Hold") != 0;
}

#endif
