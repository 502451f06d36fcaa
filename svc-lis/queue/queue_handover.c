/*  queue_handover - gives tasks to the site's batch system, in the order of their bags. It has one
 *  place among the nodes, without CPUs: what starts when, and where, it decides itself, and it ends
 *  what exceeds its limit. Only so many are there at once, of the queue and of reservations.
 */
#include "queue_state.h"

#include <assert.h>
#include <inttypes.h>

static_assert (2 * QUEUE_HANDED_MAX == NODE_RUNS_MAX, "each half of a place's runs");

/*  Later than any limit. */
#define HANDED_UNTIL_MS FREE_CAPACITY_TIME_MS_MAX

#define FOLDER_OF_LISTS ".folder/" /* of an input's path: FOLDER_PLACE of folder_manifest.h */

static bool handover_fits (const batch_picture_t *picture, const char *key, const char *things,
                           uint32_t most, uint32_t asked, char why [WHY_BYTES])
{
    return asked <= most ||
           wrong (why,
                  "%s: a task runs on one node, and none of %.63s gives a job more than %" PRIu32
                  " %s, not %" PRIu32,
                  key, picture->system, most, things, asked);
}

/*  What the batch system would let wait for ever. 0 CPUs = it is not known. */
static bool handover_may_start (const queue_t *self, const run_order_t *order, char why [WHY_BYTES])
{
    const batch_picture_t *picture = nodes_picture (self->parts.nodes);
    uint32_t cpus = 0, gpus = 0;
    if (!picture)
        return true;
    for (size_t i = 0; i < picture->nodes_count; i++) {
        cpus = picture->nodes [i].cpus > cpus ? picture->nodes [i].cpus : cpus;
        gpus = picture->nodes [i].gpus > gpus ? picture->nodes [i].gpus : gpus;
    }
    if ((cpus > 0 && !handover_fits (picture, "cpus", "CPUs", cpus, order->cpus, why)) ||
        (picture->features && !handover_fits (picture, "gpus", "GPUs", gpus, order->gpus, why)))
        return false;
    return picture->longest_ms == 0 || order->limit_ms <= picture->longest_ms ||
           wrong (why,
                  "limit_ms: %.63s lets no job there run for longer than %" PRId64
                  " s, and this one asks for %" PRId64 " s",
                  picture->system, picture->longest_ms / 1000, order->limit_ms / 1000);
}

/*  Files are brought to the storage node that all its nodes see. Which one that is its agent tells;
 *  before it has come they wait. Nothing there lays a folder out. */
static bool handover_files (const queue_t *self, const run_order_t *order, char why [WHY_BYTES])
{
    site_node_t batch = nodes_at (self->parts.nodes, nodes_batch (self->parts.nodes));
    if (order_has_files (order) && batch.state == AGENT_UP && !*batch.storage)
        return wrong (why,
                      "inputs, outputs: should be none here: the nodes of %s see no storage node; "
                      "its administrator can name one by batch/inputs/shared",
                      self->parts.service->name);
    for (size_t i = 0; i < order->inputs_count; i++)
        if (strncmp (order->inputs [i].path, FOLDER_OF_LISTS, strlen (FOLDER_OF_LISTS)) == 0)
            return wrong (
              why,
              "inputs: should be files here: %s runs the tasks of %s, and lays no folder "
              "out",
              batch.name, self->parts.service->name);
    return true;
}

call_status_t queue_handover_check (const queue_t *self, const submission_t *asked,
                                    char why [WHY_BYTES])
{
    size_t batch = nodes_batch (self->parts.nodes);
    bool good = true;
    if (batch == NODES_NONE && asked->order.gpus > 0)
        good = wrong (why, "gpus: should be 0: %s has no batch system that gives tasks GPUs",
                      self->parts.service->name);
    else if (batch != NODES_NONE && *asked->class_name && self->parts.site->classes_count > 1)
        good = wrong (
          why,
          "class_name: should be none here: %s runs the tasks of %s, on nodes of its own choice",
          nodes_at (self->parts.nodes, batch).name, self->parts.service->name);
    else if (batch != NODES_NONE)
        good = handover_files (self, &asked->order, why) &&
               handover_may_start (self, &asked->order, why);
    return good ? CALL_OK : CALL_BAD_REQUEST;
}

typedef struct {
    bool reserved;
    uint32_t count;
} handed_t;

static bool handed_count (void *owner, const run_t *run)
{
    handed_t *handed = owner;
    handed->count += (*run->reservation != '\0') == handed->reserved;
    return true;
}

/*  How many more may be there at once, those whose inputs come included. Those of reservations may
 *  wait there for long. */
static uint32_t handover_room (const queue_t *self, bool reserved)
{
    uint32_t most = reserved ? NODE_RUNS_MAX - self->limits.handed_max : self->limits.handed_max;
    handed_t handed = {.reserved = reserved, .count = queue_files_coming (self, reserved)};
    nodes_runs (self->parts.nodes, nodes_batch (self->parts.nodes), handed_count, &handed);
    return most > handed.count ? most - handed.count : 0;
}

static uint32_t hand_over (queue_t *self, const moment_t *now, bag_t *bag, uint32_t room)
{
    size_t batch = nodes_batch (self->parts.nodes);
    backfill_run_t slot = {.until_ms = HANDED_UNTIL_MS};
    bool placeless = bag->waiting.files && !*nodes_at (self->parts.nodes, batch).storage;
    for (; room > 0 && bag->waiting.waiting > 0 && nodes_usable (self->parts.nodes, batch) &&
           !placeless;
         room--) {
        queue_start_task (self, now, bag, batch, &slot);
        queue_slot_take (self, now, batch, &slot);
    }
    return room;
}

void queue_handover_reserved (queue_t *self, const moment_t *now, bag_t *bag)
{
    hand_over (self, now, bag, handover_room (self, true));
}

/*  A bag that has nothing left leaves the list. */
void queue_handover_pass (queue_t *self, const moment_t *now)
{
    const ordered_t *waiting = bags_waiting (self->bags);
    uint32_t room = handover_room (self, false);
    for (bag_t *bag = ordered_after (waiting, NULL), *next; bag && room > 0; bag = next) {
        next = ordered_after (waiting, bag);
        room = hand_over (self, now, bag, room);
    }
}
