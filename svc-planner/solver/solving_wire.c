/*  solving_wire - programs and plans by tables, and what a table can't do for a plan. */
#include "solving_wire.h"

#include "codec_table.h"
#include "message.h"
#include "must.h"
#include "solver.pb-c.h"

#include <stdio.h>
#include <string.h>

/*  --- an order --- */

static const codec_row_t node_rows [] = {
  ROW_NUMBER ("cpus", program_node_t, cpus),
  ROW_NUMBER ("unit_cost", program_node_t, unit_cost),
};
static const codec_t program_node_codec = CODEC (program_node_t, solver_node, node_rows);

static const codec_row_t edge_rows [] = {
  ROW_NUMBER ("from", program_edge_t, ends [0]),
  ROW_NUMBER ("to", program_edge_t, ends [1]),
  ROW_NUMBER ("bandwidth", program_edge_t, bandwidth),
  ROW_NUMBER ("unit_cost", program_edge_t, unit_cost),
};
static const codec_t program_edge_codec = CODEC (program_edge_t, solver_edge, edge_rows);

static const codec_row_t link_rows [] = {
  ROW_NUMBER ("from", program_link_t, ends [0]),
  ROW_NUMBER ("to", program_link_t, ends [1]),
  ROW_NUMBER ("bandwidth", program_link_t, bandwidth),
};
static const codec_t program_link_codec = CODEC (program_link_t, solver_link, link_rows);

/*  Which numbers are right is checked by program_check. */
static const codec_row_t order_rows [] = {
  ROW_FLAG ("first", solving_t, order.first),
  ROW_NUMBER ("steps_max", solving_t, order.limit.steps_max),
  ROW_NUMBER ("time_us_max", solving_t, order.limit.time_us_max, LEAST (0)),
  ROW_LIST ("nodes", solving_t, program.nodes, program.nodes_count, program_node, 1,
            PROGRAM_NODES_MAX),
  ROW_LIST ("edges", solving_t, program.edges, program.edges_count, program_edge, 0,
            PROGRAM_EDGES_MAX),
  ROW_NUMBER_LIST ("cpus", solving_t, program.cpus, program.sites_count, 1, PROGRAM_SITES_MAX),
  ROW_LIST ("links", solving_t, program.links, program.links_count, program_link, 0,
            PROGRAM_LINKS_MAX),
  ROW_FLAG ("directed", solving_t, directed),
  ROW_NUMBER ("hops_max", solving_t, program.hops_max),
  ROW_NUMBER_LIST ("offers", solving_t, program.offers, offers_count, 0,
                   (size_t) PROGRAM_SITES_MAX *PROGRAM_NODES_MAX),
  ROW_BYTES ("barred", solving_t, barred, barred_count,
             (size_t) PROGRAM_LINKS_MAX *PROGRAM_EDGES_MAX),
  ROW_WORD ("solver", solving_t, solver),
};
const codec_t solver_order_codec = CODEC (solving_t, solver_order, order_rows);

packed_t solving_order_encode (const program_t *program, const solver_order_t *order)
{
    solving_t wire = {
      .program = *program,
      .order = *order,
      .directed = program->reading == PROGRAM_DIRECTED,
      .offers_count = program->offers ? program->sites_count * program->nodes_count : 0,
      .barred = (uint8_t *) program->barred,
      .barred_count = program->barred ? program->links_count * program->edges_count : 0,
    };
    snprintf (wire.solver, sizeof wire.solver, "%s", solver_kind_word (order->kind));
    return codec_encode (&solver_order_codec, &wire);
}

/*  When two messages stand one after the other, what the second one sets counts. */
void solving_order_limit (packed_t *order, int64_t time_us_max)
{
    solving_t wire = {.order.limit.time_us_max = time_us_max};
    packed_t limit = codec_encode (&solver_order_codec, &wire);
    order->data = must (realloc (order->data, order->size + limit.size));
    memcpy (order->data + order->size, limit.data, limit.size);
    order->size += limit.size;
    free (limit.data);
}

/*  As codec_decode, for messages up to SOLVING_BYTES_MAX. *self is zero when it fails. */
static bool solving_decode (const codec_t *codec, void *self, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message =
      body.size > SOLVING_BYTES_MAX
        ? NULL
        : protobuf_c_message_unpack (codec->message, NULL, body.size, body.data);
    if (!message)
        return wrong (why, "not a %s", codec->message->short_name);
    bool good = codec_take (codec, self, message, why);
    message_free (message);
    return good;
}

static bool order_right (solving_t *self, char why [LONG_WHY_BYTES])
{
    const program_t *program = &self->program;
    if ((self->offers_count > 0 &&
         self->offers_count != program->sites_count * program->nodes_count) ||
        (self->barred_count > 0 &&
         self->barred_count != program->links_count * program->edges_count))
        return wrong (why, "offers, barred: must have an entry for each pair, or be empty");
    if (!program_check (program, why))
        return false;
    return (solver_kind_read (self->solver, &self->order.kind) &&
            solver_takes (self->order.kind, program)) ||
           wrong (why,
                  "solver: must be auto, glpk, glpk-plain or, where hops_max is set, glpk-pruned");
}

bool solving_order_decode (solving_t *self, bytes_t body, char why [LONG_WHY_BYTES])
{
    *self = (solving_t){0};
    bool good = solving_decode (&solver_order_codec, self, body, why);
    self->program.reading = self->directed ? PROGRAM_DIRECTED : PROGRAM_SHARED;
    self->program.barred = self->barred;
    good = good && order_right (self, why);
    if (!good)
        solving_clear (self);
    return good;
}

void solving_clear (solving_t *self)
{
    codec_clear (&solver_order_codec, self);
}

/*  --- an answer --- */

typedef struct {
    char status [SOLVER_WORD_BYTES];
    uint32_t *nodes;
    size_t nodes_count;
    uint32_t *path_lengths;
    size_t lengths_count;
    uint32_t *paths; /* one after the other */
    size_t paths_count;
    int64_t bound;
    uint64_t steps;
    int64_t spent_us;
} solved_t;

static const codec_row_t answer_rows [] = {
  ROW_WORD ("status", solved_t, status),
  ROW_NUMBER_LIST ("nodes", solved_t, nodes, nodes_count, 0, PROGRAM_SITES_MAX),
  ROW_NUMBER_LIST ("path_lengths", solved_t, path_lengths, lengths_count, 0, PROGRAM_LINKS_MAX),
  ROW_NUMBER_LIST ("paths", solved_t, paths, paths_count, 0,
                   (size_t) PROGRAM_LINKS_MAX *PROGRAM_NODES_MAX),
  ROW_NUMBER ("bound", solved_t, bound),
  ROW_NUMBER ("steps", solved_t, steps),
  ROW_NUMBER ("spent_us", solved_t, spent_us),
};
const codec_t solver_answer_codec = CODEC (solved_t, solver_answer, answer_rows);

static void put_plan (solved_t *to, const program_t *program, const program_plan_t *plan)
{
    to->nodes = plan->nodes;
    to->nodes_count = program->sites_count;
    to->path_lengths = plan->path_lengths;
    to->lengths_count = program->links_count;
    to->paths =
      must (malloc ((program->links_count * program->nodes_count + 1) * sizeof *to->paths));
    for (size_t l = 0; l < program->links_count; l++) {
        memcpy (&to->paths [to->paths_count], &plan->paths [l * program->nodes_count],
                plan->path_lengths [l] * sizeof *to->paths);
        to->paths_count += plan->path_lengths [l];
    }
}

packed_t solving_answer_encode (const program_t *program, const solver_answer_t *answer,
                                int64_t spent_us)
{
    solved_t wire = {.bound = answer->bound, .steps = answer->steps, .spent_us = spent_us};
    snprintf (wire.status, sizeof wire.status, "%s", solver_status_word (answer->status));
    if (answer->plan)
        put_plan (&wire, program, answer->plan);
    packed_t packed = codec_encode (&solver_answer_codec, &wire);
    free (wire.paths);
    return packed;
}

static bool status_read (const char *word, solver_status_t *status)
{
    for (*status = SOLVER_OPTIMAL; *status <= SOLVER_UNKNOWN; ++*status)
        if (strcmp (word, solver_status_word (*status)) == 0)
            return true;
    return false;
}

/*  NULL when the message holds no plan of this program. */
static program_plan_t *solving_take_plan (const solved_t *from, const program_t *program)
{
    if (!from->nodes || from->nodes_count != program->sites_count ||
        from->lengths_count != program->links_count)
        return NULL;
    program_plan_t *plan = program_plan_new (program);
    memcpy (plan->nodes, from->nodes, from->nodes_count * sizeof *plan->nodes);
    size_t at = 0;
    bool good = true;
    for (size_t l = 0; l < program->links_count && good; l++) {
        uint32_t length = plan->path_lengths [l] = from->path_lengths [l];
        good = length <= program->nodes_count && length <= from->paths_count - at;
        if (good && length > 0)
            memcpy (&plan->paths [l * program->nodes_count], &from->paths [at],
                    length * sizeof *plan->paths);
        at += length;
    }
    if (!good || at != from->paths_count || !program_plan_check (program, plan))
        program_plan_destroy (&plan);
    return plan;
}

static bool solving_take_answer (const solved_t *from, const program_t *program,
                                 solver_answer_t *answer)
{
    answer->bound = from->bound;
    answer->steps = from->steps;
    if (!status_read (from->status, &answer->status))
        return false;
    if (answer->status != SOLVER_OPTIMAL && answer->status != SOLVER_FEASIBLE)
        return true;
    answer->plan = solving_take_plan (from, program);
    return answer->plan && from->bound <= answer->plan->cost &&
           (answer->status == SOLVER_FEASIBLE || from->bound == answer->plan->cost);
}

bool solving_answer_decode (bytes_t body, const program_t *program, solver_answer_t *answer,
                            int64_t *spent_us)
{
    solved_t from = {0};
    char why [WHY_BYTES];
    *answer = (solver_answer_t){0};
    bool good = solving_decode (&solver_answer_codec, &from, body, why) &&
                solving_take_answer (&from, program, answer);
    *spent_us = from.spent_us;
    codec_clear (&solver_answer_codec, &from);
    if (good)
        return true;
    program_plan_destroy (&answer->plan);
    *answer = (solver_answer_t){.status = SOLVER_UNKNOWN};
    return false;
}
