/*  sim_shortage - sums against what there is now, and against what is said. */
#include "sim_shortage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AUDITOR "auditor"

typedef struct {
    const sim_participant_t *from;
    sim_load_t load;   /* of all that takes something, */
    sim_load_t stands; /* and of what is committed alone */
    sim_command_t *current;
    int64_t now_ms;
} sim_shortage_sums_t;

/*  Is there an instant, from then on, at which the reservation has something of what there is too
 *  little of? */
static bool overlaps (const sim_shortage_sums_t *self, const sim_load_t *load, size_t command,
                      int64_t from_ms)
{
    for (size_t t = 0; t < load->takings_count; t++) {
        const sim_taking_t *own = &load->takings [t];
        for (size_t o = 0; o < load->takings_count && own->command == command; o++) {
            const sim_taking_t *other = &load->takings [o];
            int64_t at_ms = own->from_ms > other->from_ms ? own->from_ms : other->from_ms;
            at_ms = at_ms > from_ms ? at_ms : from_ms;
            if (other->resource == own->resource && at_ms < own->until_ms &&
                sim_load_at (load, own->resource, at_ms) >
                  self->from->resources [own->resource].in_force)
                return true;
        }
    }
    return false;
}

/*  Must a reservation be told to lack something? May it? Clocks are off, and what is not decided
 *  yet may count or not. */
static bool must (const sim_shortage_sums_t *self, size_t command)
{
    return overlaps (self, &self->stands, command, self->now_ms + SIM_CLOCKS_OFF_MS);
}

static bool may (const sim_shortage_sums_t *self, const char *reservation)
{
    for (size_t c = 0; c < self->load.commands_count; c++)
        if (strcmp (self->load.commands [c].reservation, reservation) == 0 &&
            overlaps (self, &self->load, c, self->now_ms - SIM_CLOCKS_OFF_MS))
            return true;
    return false;
}

static bool any_may (const sim_shortage_sums_t *self)
{
    bool any = false;
    for (size_t c = 0; c < self->load.commands_count; c++)
        any = any || may (self, self->load.commands [c].reservation);
    return any;
}

static void sums_build (sim_shortage_sums_t *self, sim_check_t *check,
                        const sim_participant_t *from)
{
    const char *unknown;
    size_t count = 0;
    *self =
      (sim_shortage_sums_t){.from = from,
                            .now_ms = SIM_EPOCH_MS + sim_now_us (check->sim) / 1000,
                            .current = calloc (from->commands_count + 1, sizeof (sim_command_t))};
    if (!self->current)
        abort ();
    for (size_t i = 0; i < from->commands_count; i++)
        if (sim_current (from->commands, from->commands_count, from->commands [i].reservation) ==
            &from->commands [i])
            self->current [count++] = from->commands [i];
    (void) sim_load_build (&self->stands, self->current, count, from->resources,
                           from->resources_count, from->gap_ms, &unknown);
    (void) sim_load_build (&self->load, from->commands, from->commands_count, from->resources,
                           from->resources_count, from->gap_ms, &unknown);
}

static void judge_part (sim_check_t *self, const sim_shortage_sums_t *sums, const sim_part_t *part)
{
    const char *name = sim_check_name (self, sums->from);
    bool needed = false;
    for (size_t c = 0; c < sums->stands.commands_count && !part->ended; c++)
        needed = needed ||
                 (strcmp (sums->current [c].reservation, part->reservation) == 0 && must (sums, c));
    self->tally->counts [COUNT_LACKING] += needed;
    if (needed && !part->lacking)
        sim_fail (self->sim, "%s has too little for %s, and does not say so", name,
                  part->reservation);
    if (part->lacking && !may (sums, part->reservation))
        sim_fail (self->sim, "%s says that it has too little for %s, and has enough", name,
                  part->reservation);
}

static sim_message_t *ask (sim_recalled_t *recalled, const char *service, const char *method,
                           packed_t question)
{
    sim_message_t *answer = sim_recalled_ask (
      recalled, service, method, AUDITOR, (bytes_t){.data = question.data, .size = question.size});
    free (question.data);
    return answer;
}

/*  Returns how many reservations are listed as lacking something. */
static size_t judge_parts (sim_check_t *self, const sim_shortage_sums_t *sums,
                           sim_recalled_t *recalled)
{
    char next [NAME_BYTES_MAX + 1] = "";
    size_t lacking = 0;
    for (bool more = true; more;) {
        sim_part_t *list = NULL;
        size_t count = 0;
        sim_message_t *answer = ask (recalled, "Participant", "List", sim_wire_list (next));
        more = answer && answer->status == CALL_OK &&
               sim_wire_list_read (sim_message_body (answer), &list, &count, next, &more) && more;
        for (size_t i = 0; i < count; i++) {
            judge_part (self, sums, &list [i]);
            lacking += list [i].lacking;
        }
        free (list);
        free (answer);
    }
    return lacking;
}

void sim_shortage_check (sim_check_t *self, int process)
{
    for (size_t i = 0; i < self->participants_count; i++) {
        bool less = false;
        uint32_t told = 0;
        for (size_t r = 0; r < self->participants [i].resources_count; r++)
            less = less || self->participants [i].resources [r].in_force <
                             self->participants [i].resources [r].quantity;
        if (self->participants [i].process != process || !less)
            continue;
        sim_shortage_sums_t sums;
        sums_build (&sums, self, sim_check_records (self, i));
        sim_recalled_t *recalled = sim_recalled_new (self->sim, process);
        size_t lacking = judge_parts (self, &sums, recalled);
        sim_message_t *status = ask (recalled, "Service", "Status", (packed_t){0});
        if (!status || status->status != CALL_OK ||
            !sim_wire_shortage_read (sim_message_body (status), &told))
            sim_fail (self->sim, "%s does not tell its status", sim_check_name (self, sums.from));
        else if (told < lacking || (told > 0 && !any_may (&sums)))
            sim_fail (self->sim, "%s lists %zu reservations as lacking something, and counts %u",
                      sim_check_name (self, sums.from), lacking, told);
        free (status);
        sim_recalled_destroy (&recalled);
        sim_load_clear (&sums.load);
        sim_load_clear (&sums.stands);
        free (sums.current);
    }
}

void sim_shortage_check_all (sim_check_t *self)
{
    for (size_t i = 0; i < self->participants_count; i++) {
        self->participants [i].stale = true;
        if (!self->participants [i].home)
            sim_shortage_check (self, self->participants [i].process);
    }
}
