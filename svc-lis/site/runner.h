/*  runner - what a site has that runs things itself (back_end = runner): its nodes, what there is
 *  of them to promise, and reservations opened on them. Puts the parts together, and has no more to
 *  say.
 */
#ifndef MUSUBI_RUNNER_H
#define MUSUBI_RUNNER_H

#include "accounts.h"
#include "openings.h"
#include "questions.h"
#include "queue.h"
#include "sharing.h"

typedef struct {
    node_place_t *places;
    size_t places_count;
    account_t *accounts; /* of actors */
    size_t accounts_count;
    nodes_limits_t nodes;
    openings_limits_t openings;
    queue_limits_t queue;
    sharing_limits_t sharing;
    back_end_limits_t back_end;
} runner_settings_t;

typedef struct runner runner_t;

/*  Everything is borrowed for life but the settings. Comes before the participant, which wants its
 *  usage, and ends after it. */
runner_t *runner_new (service_t *service, const site_t *site, room_t *room, const access_t *access,
                      const runner_settings_t *settings);
void runner_destroy (runner_t **self_p);

void runner_usage (runner_t *self, usage_t *usage);

/*  Borrowed for life; before the first step, once all of these are there. */
void runner_attach (runner_t *self, const participant_t *participant, timetable_t *timetable,
                    questions_t *questions);

/*  For tests. */
nodes_t *runner_nodes (runner_t *self);
openings_t *runner_openings (runner_t *self);
void runner_check (const runner_t *self);

#endif
