/*  sim_auditor - asks every participant for its records, by ordinary messages.
 */
#ifndef MUSUBI_SIM_AUDITOR_H
#define MUSUBI_SIM_AUDITOR_H

#include "sim.h"
#include "sim_check.h"

#define SIM_AUDITOR "auditor" /* an administrator everywhere: it may see everything */

/*  How far one participant has been asked. */
typedef struct {
    sim_said_t said;
    bool commands_begun; /* next is set */
    bool commands_told;
    bool parts_told;
    txid_t next_command; /* where the next page begins */
    char next_part [NAME_BYTES_MAX + 1];
} sim_heard_t;

typedef struct {
    sim_t *sim;         /* in */
    sim_check_t *check; /* in */
    sim_heard_t heard [SIM_SITES_MAX];
    size_t at; /* the participant being asked */
    uint64_t call;
    struct outbox *outbox;
} sim_auditor_t;

void sim_auditor_make (void *owner, core_t *core);
bool sim_auditor_ended (const sim_auditor_t *self);

/*  Hands all that was said to the check. */
void sim_auditor_report (sim_auditor_t *self);
void sim_auditor_clear (sim_auditor_t *self);

#endif
