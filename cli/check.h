/*  check - do the participants' own records tell of whole transactions and kept capacities?
 *
 *  An auditor's view that trusts no planner: it is given every participant's command records and
 *  classes, and finds
 *
 *      - a transaction committed at one participant of its plan and not at another,
 *      - a vote without a decision, or a hold, past its limit,
 *      - a class with more nodes booked than it has, at any instant,
 *      - an answer told to a user that the records contradict.
 *
 *  Pure; shares no code with calendar, participant or planner.
 */
#ifndef MUSUBI_CHECK_H
#define MUSUBI_CHECK_H

#include "transaction.h"

typedef struct check check_t;

check_t *check_new (void);
void check_destroy (check_t **self_p);

/*  A class of a participant, with the time kept free after each booking. */
void check_class (check_t *self, const char *participant, const char *class_name, int64_t nodes,
                  int64_t cleaning_gap_ms);

/*  A participant that could not be asked: what concerns it is counted, not judged. */
void check_silent (check_t *self, const char *participant);

/*  One command as the participant recorded it. Everything is copied. */
void check_command (check_t *self, const char *participant, const plan_t *plan,
                    command_state_t state, const compute_booking_t *bookings,
                    size_t bookings_count);

/*  What a user was told: done (committed), or refused; reservation may be "". */
void check_answer (check_t *self, const char *request_id, const char *reservation, bool done);

typedef struct {
    size_t transactions; /* with at least one commit */
    size_t reservations; /* standing: last version neither released nor empty */
    size_t answers;
    size_t pending;  /* held or prepared commands: fine while work goes on */
    size_t unjudged; /* transactions with a silent participant */
    size_t repaired; /* edge refused, then released at the others (T10) */
    size_t violations;
} check_result_t;

/*  Judges. tell is called with a sentence for each violation. now_ms: wall time, for limits of
 *  holds; settled: also a hold or vote that is still within its limit is a violation. */
check_result_t check_judge (check_t *self, int64_t now_ms, bool settled,
                            void (*tell) (void *owner, const char *sentence), void *owner);

#endif
