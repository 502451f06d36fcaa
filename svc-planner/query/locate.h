/*  locate - finds which participants know a reservation, and what each says about it: one
 *  Participant.Show to each that may have a part of it, then to participants that the answers list
 *  (T6, T11).
 *
 *  The request homes are asked who takes part before a reservation is said to be nowhere; first, in
 *  a large federation. That is a hint: the answers lead on to the newest version's participants,
 *  and all others are asked, too. A home that is silent, or who is listed no more, may know it.
 */
#ifndef MUSUBI_LOCATE_H
#define MUSUBI_LOCATE_H

#include "coordinator.h"
#include "directory_wire.h"
#include "planner_settings.h"
#include "record.h"
#include "service.h"
#include "unresponsive.h"

/*  What one participant said. */
typedef struct {
    participant_ref_t party;
    uint64_t call;
    bool in_question;               /* the plan asked about names it: its silence counts */
    bool suspected;                 /* waited for only briefly */
    bool asked_again;               /* because it did not know the reservation */
    bool answered;                  /* record and store are filled */
    bool known;                     /* it knows the reservation */
    uint8_t store [STORE_ID_BYTES]; /* that answered */
    part_record_t record;
} located_part_t;

typedef enum {
    LOCATED_NOWHERE,  /* all answered, and nobody knows it */
    LOCATED_UNSURE,   /* nobody who answered knows it, but some are silent */
    LOCATED_AGREED,   /* all its participants have the same version, and no change is pending */
    LOCATED_CHANGING, /* a change is in progress: ask again */
    LOCATED_SILENT,   /* one of its participants did not answer */
    LOCATED_LOST,     /* one of its participants has lost it; all others agree */
    LOCATED_OVER,     /* released or failed at all its participants */
} locate_verdict_t;

typedef void locate_done_fn (void *owner, const moment_t *now);

/*  Its owner reads parts, verdict and culprit. */
typedef struct {
    service_t *service;
    const planner_settings_t *settings;
    unresponsive_t *unresponsive; /* NULL = all are waited for in full */
    char reservation [NAME_BYTES_MAX + 1];
    located_part_t *parts; /* one for each participant asked */
    size_t count;
    size_t room;
    size_t waiting;
    locate_done_fn *done;
    void *owner;
    uint64_t home_calls [DIRECTORY_HOMES_MAX];
    size_t homes_waiting;
    bool homes_asked;
    char home_silent [NAME_BYTES_MAX + 1]; /* one of them; "" = all answered */
    size_t asked;                      /* the first of parts; the others' turn comes after them */
    bool narrow;                       /* only those that homes tell of are asked, so far */
    bool of_plan;                      /* it asks what has become of a plan */
    uint64_t timer;                    /* used when there is nobody to ask */
    locate_verdict_t verdict;          /* once it is done */
    char culprit [NAME_BYTES_MAX + 1]; /* the participant that the verdict is about; "" = none */
} locate_t;

/*  suspects: these are waited for only briefly, and whoever is silent becomes one; NULL = all are
 *  waited for in full. plan: its participants are asked in any case, and of a release only those
 *  that it awaits; or NULL. done is called once, never from within locate_new; the functions below
 *  may be called from then on. */
locate_t *locate_new (service_t *service, const planner_settings_t *settings,
                      unresponsive_t *unresponsive, const moment_t *now, const char *reservation,
                      const plan_t *plan, locate_done_fn *done, void *owner);
void locate_destroy (locate_t **self_p);

/*  Has the participant of this name answered? */
bool locate_heard (const locate_t *self, const char *name);

/*  Is record of a higher version, or of the same one and with a plan that the other lacks? than may
 *  be NULL. */
bool record_newer (const part_record_t *record, const part_record_t *than);

/*  The record of the highest committed version, else of the pending first one; NULL when nobody who
 *  answered knows it. */
const part_record_t *locate_newest (const locate_t *self);

/*  Abort pending changes that an earlier start of this planner left undecided. */
void locate_abort_remains (const locate_t *self, coordinator_t *coordinator, const moment_t *now);

#endif
