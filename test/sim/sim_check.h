/*  sim_check - is every promise kept? Reads what participants recorded and what left for whom.
 *
 *  While a schedule runs: whatever a message promises must already be durable when it leaves, and
 *  after each flush nothing may be overbooked at any instant. Durable means: found by a new core
 *  that is fed the store (sim_recall), so that the stores' layout is no business of the checks.
 *  When all has settled: no mixed outcome, nothing left pending, nothing told committed lost, every
 *  answer true.
 */
#ifndef MUSUBI_SIM_CHECK_H
#define MUSUBI_SIM_CHECK_H

#include "sim.h"
#include "sim_book.h"
#include "site.h"

#define SIM_SITES_MAX 16
#define SIM_HOLDS_MAX 256

/*  A participant: a site, or a home when site is NULL. */
typedef struct {
    int process;
    const site_t *site;
    sim_command_t *commands; /* durable as of the last flush */
    size_t commands_count;
    bool stale;
} sim_participant_t;

/*  A hold whose end was told. */
typedef struct {
    int process;
    txid_t txid;
    int64_t first_us;
    int64_t ends_us; /* true time, with a margin */
    bool voted;      /* in time */
} sim_held_t;

/*  A plan that another one says it replaces at this participant (T1). */
typedef struct {
    int process;
    txid_t by;
    txid_t old;
} sim_replaced_t;

typedef struct {
    sim_t *sim;
    sim_book_t *book;
    sim_tally_t *tally;
    sim_participant_t participants [SIM_SITES_MAX];
    size_t participants_count;
    uint32_t hold_age_ms_max;
    sim_held_t held [SIM_HOLDS_MAX];
    size_t held_count;
    sim_replaced_t replaced [SIM_HOLDS_MAX]; /* a ring: the oldest are forgotten */
    size_t replaced_count;
} sim_check_t;

void sim_check_clear (sim_check_t *self);
void sim_check_add (sim_check_t *self, int process, const site_t *site);

/*  The observer's calls. */
void sim_check_left (sim_check_t *self, const sim_message_t *message);
void sim_check_flushed (sim_check_t *self, int process);

/*  Its wall clock goes back: a hold that lives through a restart lives so much longer (R1). */
void sim_check_stepped (sim_check_t *self, int process, int64_t by_ms);

/*  Is no command held, prepared or at its edge any more? why names the first that is. */
bool sim_check_settled (sim_check_t *self, char why [SIM_WHY_BYTES]);

/*  What a settled participant has said of its commands and reservations through messages: is it
 *  what its store says? */
void sim_check_said (sim_check_t *self, size_t participant, const sim_command_t *commands,
                     size_t commands_count, const sim_part_t *parts, size_t parts_count);

/*  The verdict on all records; failures go to sim_fail. */
void sim_check_end (sim_check_t *self);

/*  The durable commands of a participant, now. */
const sim_participant_t *sim_check_records (sim_check_t *self, size_t participant);

#endif
