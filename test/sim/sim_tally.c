/*  sim_tally - counting and printing. */
#include "sim_tally.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const fault_words [FAULT_KINDS] = {
  [FAULT_NONE] = "left",       [FAULT_LOST] = "lost",         [FAULT_CUT] = "cut",
  [FAULT_DELAYED] = "delayed", [FAULT_DOUBLED] = "doubled",   [FAULT_REORDERED] = "reorder",
  [FAULT_DEAD] = "to dead",    [FAULT_UNFLUSHED] = "unflush", [FAULT_FLUSHED] = "flushed",
  [FAULT_UNSENT] = "unsent",
};

static const char *const count_words [COUNTS] = {
  [COUNT_SCHEDULES] = "schedules run",
  [COUNT_NETWORKED] = "schedules with networks",
  [COUNT_STEPS] = "events stepped",
  [COUNT_CRASHES] = "crashes",
  [COUNT_COMMITTED] = "transactions committed",
  [COUNT_BACKTRACKED] = "committed as bbr or bir planned",
  [COUNT_PROGRAMMED] = "committed as ip planned",
  [COUNT_REFUSED] = "requests refused",
  [COUNT_DOUBT] = "commands resolved from doubt",
  [COUNT_EDGES] = "commands past their edge",
  [COUNT_LATE] = "commits re-admitted past the edge",
  [COUNT_REPAIRED] = "transactions repaired",
  [COUNT_TAKEN_BACK] = "changes taken back by a repair",
  [COUNT_MENDED] = "requests kept by a repair",
  [COUNT_RESTS] = "parts given back after their release",
  [COUNT_TAKEN_OVER] = "planners' stores taken over",
  [COUNT_CONFLICTS] = "request ids with another body refused",
  [COUNT_EXPIRED] = "holds expired",
  [COUNT_CONNECTIONS] = "connections committed",
  [COUNT_ROOMS] = "files and space with room",
  [COUNT_CROSSINGS] = "connections over several domains",
  [COUNT_PHASES] = "needs changed while they lasted",
  [COUNT_PROVISIONED] = "circuits put to use",
  [COUNT_LOWERED] = "links lowered",
  [COUNT_SMALLER] = "sites and disks that came back smaller",
  [COUNT_LACKING] = "reservations told to lack something",
  [COUNT_DISAGREED] = "schedules whose domains disagree",
  [COUNT_SETTLED_COMMITTED] = "settled by a fence: committed",
  [COUNT_SETTLED_ABORTED] = "settled by a fence: aborted",
  [COUNT_FENCED] = "decisions overruled by a fence",
  [COUNT_ROWS] = "rows of ledgers replayed",
  [COUNT_PLUS] = "changes committed by plus",
  [COUNT_AMBUSHED] = "ambushes after a vote or at a decision",
  [COUNT_FORGOTTEN] = "homes that lost their stores",
  [COUNT_TASKS] = "tasks that came to an end",
  [COUNT_TASKS_LOST] = "of those, lost with the reason",
  [COUNT_RUNS] = "runs begun at machines",
  [COUNT_OPENED] = "reservations to be opened on nodes",
  [COUNT_RECEIVED] = "copies received",
  [COUNT_SKIPPED] = "feeders skipped",
  [COUNT_SLOW] = "slow receivers put to the tail",
  [COUNT_MOVED] = "tasks moved between sites",
  [COUNT_ASIDE] = "members set aside",
  [COUNT_PROMISES] = "jobs promised a time",
  [COUNT_WRONG] = "files received with wrong bytes",
  [COUNT_CHUNKS_WRONG] = "chunks received with wrong bytes",
  [COUNT_FED] = "runs begun with inputs",
  [COUNT_SUSPENDED] = "runs suspended",
  [COUNT_OUTPUTS] = "outputs that became files",
};

static const char *const kind_words [] = {
  [MESSAGE_REQUEST] = "request", [MESSAGE_ANSWER] = "answer", [MESSAGE_NOTICE] = "hint"};

static size_t row_of (sim_tally_t *self, const char *name)
{
    for (size_t i = 0; i < self->rows_count; i++)
        if (strcmp (self->rows [i].name, name) == 0)
            return i;
    if (self->rows_count == TALLY_ROWS_MAX)
        return TALLY_ROWS_MAX - 1; /* far more than there are methods; the last takes any beyond */
    sim_text (self->rows [self->rows_count].name, sizeof self->rows [0].name, name);
    return self->rows_count++;
}

void sim_tally_message (sim_tally_t *self, const sim_message_t *message, fault_kind_t fault)
{
    char name [sizeof self->rows [0].name];
    snprintf (name, sizeof name, "%.31s.%.31s %s", message->service, message->method,
              kind_words [message->kind]);
    self->rows [row_of (self, name)].met [fault]++;
}

void sim_tally_merge (sim_tally_t *self, const sim_tally_t *other)
{
    for (size_t i = 0; i < other->rows_count; i++) {
        size_t row = row_of (self, other->rows [i].name);
        for (size_t f = 0; f < FAULT_KINDS; f++)
            self->rows [row].met [f] += other->rows [i].met [f];
    }
    for (size_t c = 0; c < COUNTS; c++)
        self->counts [c] += other->counts [c];
}

static int by_name (const void *a, const void *b)
{
    return strcmp (a, b); /* the name comes first in a row */
}

void sim_tally_print (sim_tally_t *self, FILE *out)
{
    qsort (self->rows, self->rows_count, sizeof self->rows [0], by_name);
    fprintf (out, "%-34s", "message");
    for (size_t f = 0; f < FAULT_KINDS; f++)
        fprintf (out, " %8s", fault_words [f]);
    fputc ('\n', out);
    for (size_t i = 0; i < self->rows_count; i++) {
        fprintf (out, "%-34s", self->rows [i].name);
        for (size_t f = 0; f < FAULT_KINDS; f++)
            fprintf (out, " %8" PRIu64, self->rows [i].met [f]);
        fputc ('\n', out);
    }
    fputc ('\n', out);
    for (size_t c = 0; c < COUNTS; c++)
        fprintf (out, "%-40s %10" PRIu64 "\n", count_words [c], self->counts [c]);
}
