/*  sim_check - checks that every promise is kept. It reads what participants recorded and which
 *  messages left.
 *
 *  While a schedule runs: whatever a message promises must already be durable when it leaves, and
 *  after each flush no class and no link may be overbooked at any instant. Durable means: found by
 *  a new core that is fed the store (sim_recall), so the checks need not know the layout of a
 *  store. When all has settled (sim_verdict.c): no mixed outcome, nothing left pending, nothing
 *  lost that was told committed, every version complete and connected as its user asked, every
 *  answer true.
 */
#ifndef MUSUBI_SIM_CHECK_H
#define MUSUBI_SIM_CHECK_H

#include "sim.h"
#include "sim_book.h"
#include "sim_load.h"
#include "sim_map.h"
#include "site.h"

#define SIM_SITES_MAX 16
#define SIM_HOLDS_MAX 256
#define SIM_USES_MAX  32

#define SIM_CLOCKS_OFF_MS 6000 /* wall clocks are stepped, and off, by less than this */

/*  What one participant has said of itself through messages. */
typedef struct {
    sim_command_t *commands;
    size_t commands_count;
    sim_part_t *parts;
    size_t parts_count;
    sim_profile_t profiles [SIM_RESOURCES_MAX];
    size_t profiles_count;
} sim_said_t;

/*  A participant: a site, a network domain, or a home. */
typedef struct {
    int process;
    bool home;
    size_t domain; /* of the map; SIZE_MAX = none */
    int64_t lead_ms;
    int64_t gap_ms;
    sim_resource_t resources [SIM_RESOURCES_MAX];
    size_t resources_count;
    const site_t *site;      /* of a site */
    sim_command_t *commands; /* durable as of the last flush */
    size_t commands_count;
    bool stale;
    txid_t *taken; /* commands that held something at the last flush */
    size_t taken_count;
} sim_participant_t;

/*  A hold for which an end was told. */
typedef struct {
    int process;
    txid_t txid;
    int64_t first_us;
    int64_t ends_us; /* true time, with a margin */
    bool voted;      /* its vote was seen in time */
} sim_held_t;

/*  A plan that another plan says it replaces at this participant (T1). */
typedef struct {
    int process;
    txid_t by;
    txid_t old;
} sim_replaced_t;

/*  Circuits of which the user was told that they may be used. */
typedef struct {
    int process;
    char reservation [NAME_BYTES_MAX + 1];
} sim_used_t;

typedef struct {
    sim_t *sim;
    sim_book_t *book;
    sim_tally_t *tally;
    const sim_map_t *map;
    bool releases; /* the only thing that may bar a release is another change */
    bool uses_end; /* users end the use of circuits, too: it is not known whether they are used */
    sim_participant_t participants [SIM_SITES_MAX];
    size_t participants_count;
    uint32_t hold_age_ms_max;
    sim_held_t held [SIM_HOLDS_MAX];
    size_t held_count;
    int64_t back_us [SIM_PROCESSES_MAX];     /* sum of all steps back of wall clocks */
    sim_replaced_t replaced [SIM_HOLDS_MAX]; /* a ring: the oldest are forgotten */
    size_t replaced_count;
    sim_used_t used [SIM_USES_MAX];
    size_t used_count;
} sim_check_t;

void sim_check_clear (sim_check_t *self);
void sim_check_add_home (sim_check_t *self, int process);
void sim_check_add_site (sim_check_t *self, int process, const site_t *site);
/*  The storage of a site: nodes of so many MiB each. */
void sim_check_add_storage (sim_check_t *self, int process, const char *const *nodes,
                            const uint32_t *mib, size_t count, int64_t lead_ms);
void sim_check_add_domain (sim_check_t *self, int process, size_t domain);

/*  The observer's calls. */
void sim_check_left (sim_check_t *self, const sim_message_t *message);
void sim_check_flushed (sim_check_t *self, int process);

/*  Its wall clock goes back. A hold that lives through a restart then lives that much longer (R1):
 *  both a hold taken before, and a hold taken before the clock has caught up. */
void sim_check_stepped (sim_check_t *self, int process, int64_t by_ms);

/*  A resource is smaller from now on: an administrator was told so, or it came back so. */
void sim_check_lowered (sim_check_t *self, int process, const char *resource, uint32_t quantity);

/*  True when no command is held, prepared or at its edge any more; else why names the first one
 *  that is. */
bool sim_check_settled (sim_check_t *self, char why [LONG_WHY_BYTES]);

/*  Checks what a settled participant has said of itself through messages: it must be what its store
 *  says, and what no command has must be free. */
void sim_check_said (sim_check_t *self, size_t participant, const sim_said_t *said);

/*  The verdict on all records; failures go to sim_fail. */
void sim_check_end (sim_check_t *self);

/*  One request id makes at most one transaction, as far as the records show now. */
void sim_check_once (sim_check_t *self);

/*  --- records; for sim_verdict.c, too --- */

/*  The durable commands of a participant, now. */
const sim_participant_t *sim_check_records (sim_check_t *self, size_t participant);

/*  NULL when there is none of that name. */
const sim_participant_t *sim_check_named (sim_check_t *self, const char *name);
const char *sim_check_name (const sim_check_t *self, const sim_participant_t *participant);
const sim_command_t *sim_check_command (const sim_participant_t *participant, const txid_t *txid);

/*  The command of the request that was committed somewhere, NULL when there is none. */
const sim_command_t *sim_check_committed (sim_check_t *self, const sim_request_t *request);
const sim_request_t *sim_check_request (const sim_check_t *self, const char *actor,
                                        const char *request_id);

/*  T10: a transaction that was refused at the edge of some participants has been undone: no
 *  participant holds anything of the reservation any more. */
bool sim_check_undone (sim_check_t *self, const sim_command_t *command);

/*  T6: a request told committed is committed by every participant. */
void sim_check_acknowledged (sim_check_t *self, const sim_request_t *request);

#endif
