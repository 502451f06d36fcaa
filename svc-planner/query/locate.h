/*  locate - who knows a reservation, and what each of them says: one Participant.Show to every site
 *  and network domain of the directory, then to those that the answers list and nobody asked yet
 *  (T6, T11).
 */
#ifndef MUSUBI_LOCATE_H
#define MUSUBI_LOCATE_H

#include "coordinator.h"
#include "planner_settings.h"
#include "record.h"
#include "service.h"
#include "unresponsive.h"

/*  What one of them said. */
typedef struct {
    participant_ref_t party;
    uint64_t call;
    bool in_question;               /* the plan that is looked at names it: its silence counts */
    bool suspected;                 /* waited for but a moment */
    bool asked_again;               /* because it did not know the reservation */
    bool answered;                  /* record and store count */
    bool known;                     /* it knows the reservation: record is filled */
    uint8_t store [STORE_ID_BYTES]; /* of the one who answered */
    part_record_t record;
} located_part_t;

typedef enum {
    LOCATED_NOWHERE,  /* everybody answered, nobody knows it */
    LOCATED_UNSURE,   /* nobody who answered knows it, some are silent */
    LOCATED_AGREED,   /* all its participants say the same version, and no change is pending */
    LOCATED_CHANGING, /* a change is on its way: ask again */
    LOCATED_SILENT,   /* some participant of it did not answer */
    LOCATED_LOST,     /* some participant has lost it; all others agree */
    LOCATED_OVER,     /* released or failed at all of them */
} locate_verdict_t;

typedef void locate_done_fn (void *owner, const moment_t *now);

/*  Its owner reads parts, verdict and culprit. */
typedef struct {
    service_t *service;
    const planner_settings_t *settings;
    unresponsive_t *unresponsive; /* NULL = nobody is suspected */
    char reservation [NAME_BYTES_MAX + 1];
    located_part_t *parts; /* of whom is asked */
    size_t count;
    size_t room;
    size_t waiting;
    locate_done_fn *done;
    void *owner;
    bool of_plan;                      /* it is asked what has become of a plan */
    uint64_t timer;                    /* when there is nobody to ask */
    locate_verdict_t verdict;          /* once it is done */
    char culprit [NAME_BYTES_MAX + 1]; /* the first participant that it is about; "" = none */
} locate_t;

/*  suspects: those among them are waited for but a moment, and those that were waited for in vain
 *  come to be; NULL = everybody is waited for in full. plan: one that its participants had, to ask
 *  them in any case, and of a release those alone whom it awaits; or NULL. done is called once,
 *  never from within locate_new; then the questions below have answers. */
locate_t *locate_new (service_t *service, const planner_settings_t *settings,
                      unresponsive_t *unresponsive, const moment_t *now, const char *reservation,
                      const plan_t *plan, locate_done_fn *done, void *owner);
void locate_destroy (locate_t **self_p);

/*  Has the participant of this name answered? */
bool locate_heard (const locate_t *self, const char *name);

/*  Is it the one to believe: of a higher version, or of the same and with its plan? than may be
 *  NULL. */
bool record_newer (const part_record_t *record, const part_record_t *than);

/*  The record of the highest committed version, else of the pending first one; NULL when nobody who
 *  answered knows it. */
const part_record_t *locate_newest (const locate_t *self);

/*  Abort what is pending that an earlier life of this planner left without a decision. */
void locate_abort_remains (const locate_t *self, coordinator_t *coordinator, const moment_t *now);

#endif
