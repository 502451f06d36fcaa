/*  solving_wire - programs flattened into lists, and plans. */
#include "solving_wire.h"

#include "message.h"
#include "must.h"
#include "solver.pb-c.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static_assert ((size_t) PROGRAM_LINKS_MAX * PROGRAM_EDGES_MAX / 8 < SOLVING_BYTES_MAX / 2,
               "what is barred has room in an order");

struct solving_lists {
    program_node_t *nodes;
    program_edge_t *edges;
    int64_t *cpus;
    program_link_t *links;
    int64_t *offers;
    uint8_t *barred;
};

static solving_bytes_t bytes_of (const ProtobufCMessage *message)
{
    solving_bytes_t bytes;
    bytes.data = message_pack (message, &bytes.size);
    return bytes;
}

/*  --- an order --- */

/*  The lists of a program, in one piece of memory each kind. */
typedef struct {
    int64_t *numbers;
    uint32_t *ends;
    uint8_t *bits;
} flat_t;

static int64_t *flatten_nodes (Musubi__SolverProgram *to, const program_t *from, int64_t *at)
{
    size_t count = from->nodes_count;
    to->n_node_cpus = to->n_node_costs = count;
    to->node_cpus = at;
    to->node_costs = at + count;
    for (size_t i = 0; i < count; i++) {
        to->node_cpus [i] = from->nodes [i].cpus;
        to->node_costs [i] = from->nodes [i].unit_cost;
    }
    return at + 2 * count;
}

static int64_t *flatten_edges (Musubi__SolverProgram *to, const program_t *from, int64_t *at,
                               uint32_t *ends)
{
    size_t count = from->edges_count;
    to->n_edge_bandwidths = to->n_edge_costs = count;
    to->edge_bandwidths = at;
    to->edge_costs = at + count;
    to->n_edge_ends = 2 * count;
    to->edge_ends = ends;
    for (size_t i = 0; i < count; i++) {
        to->edge_bandwidths [i] = from->edges [i].bandwidth;
        to->edge_costs [i] = from->edges [i].unit_cost;
        memcpy (&ends [2 * i], from->edges [i].ends, 2 * sizeof *ends);
    }
    return at + 2 * count;
}

static int64_t *flatten_request (Musubi__SolverProgram *to, const program_t *from, int64_t *at,
                                 uint32_t *ends)
{
    to->n_site_cpus = from->sites_count;
    to->site_cpus = at;
    memcpy (at, from->cpus, from->sites_count * sizeof *at);
    at += from->sites_count;
    to->n_link_bandwidths = from->links_count;
    to->link_bandwidths = at;
    to->n_link_ends = 2 * from->links_count;
    to->link_ends = ends;
    for (size_t i = 0; i < from->links_count; i++) {
        at [i] = from->links [i].bandwidth;
        memcpy (&ends [2 * i], from->links [i].ends, 2 * sizeof *ends);
    }
    return at + from->links_count;
}

static flat_t flatten (Musubi__SolverProgram *to, const program_t *from)
{
    size_t offers = from->offers ? from->sites_count * from->nodes_count : 0;
    size_t barred = from->barred ? from->links_count * from->edges_count : 0;
    flat_t flat = {
      .numbers = must (malloc ((2 * from->nodes_count + 2 * from->edges_count + from->sites_count +
                                from->links_count + offers + 1) *
                               sizeof *flat.numbers)),
      .ends =
        must (malloc ((2 * from->edges_count + 2 * from->links_count + 1) * sizeof *flat.ends)),
      .bits = must (calloc (barred / 8 + 1, 1)),
    };
    int64_t *at = flatten_nodes (to, from, flat.numbers);
    at = flatten_edges (to, from, at, flat.ends);
    at = flatten_request (to, from, at, flat.ends + 2 * from->edges_count);
    if (from->offers) {
        to->n_offers = offers;
        to->offers = at;
        memcpy (at, from->offers, offers * sizeof *at);
    }
    for (size_t i = 0; i < barred; i++)
        if (from->barred [i])
            flat.bits [i / 8] |= (uint8_t) (1u << i % 8);
    if (from->barred)
        to->barred = (ProtobufCBinaryData){.len = barred / 8 + 1, .data = flat.bits};
    to->directed = from->reading == PROGRAM_DIRECTED;
    to->hops_max = from->hops_max;
    return flat;
}

solving_bytes_t solving_order_encode (const program_t *program, const solver_order_t *order)
{
    Musubi__SolverOrder wire = MUSUBI__SOLVER_ORDER__INIT;
    Musubi__SolverProgram program_wire = MUSUBI__SOLVER_PROGRAM__INIT;
    flat_t flat = flatten (&program_wire, program);
    wire.program = &program_wire;
    wire.solver = (char *) solver_kind_word (order->kind);
    wire.first = order->first;
    wire.steps_max = order->limit.steps_max;
    wire.time_us_max = order->limit.time_us_max;
    solving_bytes_t bytes = bytes_of (&wire.base);
    free (flat.numbers);
    free (flat.ends);
    free (flat.bits);
    return bytes;
}

/*  Of two messages one after the other, what the second one sets counts. */
void solving_order_limit (solving_bytes_t *order, int64_t time_us_max)
{
    Musubi__SolverOrder wire = MUSUBI__SOLVER_ORDER__INIT;
    wire.time_us_max = time_us_max;
    solving_bytes_t limit = bytes_of (&wire.base);
    order->data = must (realloc (order->data, order->size + limit.size));
    memcpy (order->data + order->size, limit.data, limit.size);
    order->size += limit.size;
    free (limit.data);
}

/*  Lists that belong together are equally long, and not longer than a program may be. */
static bool lists_agree (const Musubi__SolverProgram *from)
{
    return from->n_node_cpus <= PROGRAM_NODES_MAX && from->n_node_costs == from->n_node_cpus &&
           from->n_edge_bandwidths <= PROGRAM_EDGES_MAX &&
           from->n_edge_costs == from->n_edge_bandwidths &&
           from->n_edge_ends == 2 * from->n_edge_bandwidths &&
           from->n_site_cpus <= PROGRAM_SITES_MAX && from->n_link_bandwidths <= PROGRAM_LINKS_MAX &&
           from->n_link_ends == 2 * from->n_link_bandwidths &&
           (from->n_offers == 0 || from->n_offers == from->n_site_cpus * from->n_node_cpus) &&
           (from->barred.len == 0 ||
            from->barred.len == from->n_link_bandwidths * from->n_edge_bandwidths / 8 + 1);
}

static struct solving_lists *take_lists (const Musubi__SolverProgram *from)
{
    struct solving_lists *lists = must (calloc (1, sizeof *lists));
    size_t nodes = from->n_node_cpus;
    size_t edges = from->n_edge_bandwidths;
    size_t links = from->n_link_bandwidths;
    lists->nodes = must (calloc (nodes + 1, sizeof *lists->nodes));
    lists->edges = must (calloc (edges + 1, sizeof *lists->edges));
    lists->cpus = must (calloc (from->n_site_cpus + 1, sizeof *lists->cpus));
    lists->links = must (calloc (links + 1, sizeof *lists->links));
    for (size_t i = 0; i < nodes; i++)
        lists->nodes [i] =
          (program_node_t){.cpus = from->node_cpus [i], .unit_cost = from->node_costs [i]};
    for (size_t i = 0; i < edges; i++)
        lists->edges [i] =
          (program_edge_t){.ends = {from->edge_ends [2 * i], from->edge_ends [2 * i + 1]},
                           .bandwidth = from->edge_bandwidths [i],
                           .unit_cost = from->edge_costs [i]};
    for (size_t i = 0; i < from->n_site_cpus; i++)
        lists->cpus [i] = from->site_cpus [i];
    for (size_t i = 0; i < links; i++)
        lists->links [i] =
          (program_link_t){.ends = {from->link_ends [2 * i], from->link_ends [2 * i + 1]},
                           .bandwidth = from->link_bandwidths [i]};
    if (from->n_offers > 0) {
        lists->offers = must (malloc (from->n_offers * sizeof *lists->offers));
        memcpy (lists->offers, from->offers, from->n_offers * sizeof *lists->offers);
    }
    if (from->barred.len > 0) {
        lists->barred = must (calloc (links * edges + 1, 1));
        for (size_t i = 0; i < links * edges; i++)
            lists->barred [i] = from->barred.data [i / 8] >> i % 8 & 1;
    }
    return lists;
}

static bool take_program (solving_t *self, const Musubi__SolverProgram *from,
                          char why [SOLVING_WHY_BYTES])
{
    if (!from || !lists_agree (from)) {
        snprintf (why, SOLVING_WHY_BYTES, "program: its lists do not go together");
        return false;
    }
    self->lists = take_lists (from);
    self->program = (program_t){
      .nodes = self->lists->nodes,
      .nodes_count = from->n_node_cpus,
      .edges = self->lists->edges,
      .edges_count = from->n_edge_bandwidths,
      .cpus = self->lists->cpus,
      .sites_count = from->n_site_cpus,
      .links = self->lists->links,
      .links_count = from->n_link_bandwidths,
      .reading = from->directed ? PROGRAM_DIRECTED : PROGRAM_SHARED,
      .hops_max = from->hops_max,
      .offers = self->lists->offers,
      .barred = self->lists->barred,
    };
    return program_check (&self->program, why);
}

/*  NULL when it is not such a message. */
static ProtobufCMessage *unpack (const ProtobufCMessageDescriptor *descriptor, bytes_t body)
{
    if (body.size > SOLVING_BYTES_MAX)
        return NULL;
    return protobuf_c_message_unpack (descriptor, NULL, body.size, body.data);
}

bool solving_order_decode (solving_t *self, bytes_t body, char why [SOLVING_WHY_BYTES])
{
    *self = (solving_t){0};
    ProtobufCMessage *message = unpack (&musubi__solver_order__descriptor, body);
    if (!message) {
        snprintf (why, SOLVING_WHY_BYTES, "not a SolverOrder");
        return false;
    }
    const Musubi__SolverOrder *from = (Musubi__SolverOrder *) message;
    self->order =
      (solver_order_t){.first = from->first,
                       .limit = {.steps_max = from->steps_max, .time_us_max = from->time_us_max}};
    bool good = take_program (self, from->program, why);
    if (good && (!solver_kind_read (from->solver, &self->order.kind) ||
                 !solver_takes (self->order.kind, &self->program) || from->time_us_max < 0)) {
        snprintf (why, SOLVING_WHY_BYTES, "solver, time_us_max: there is no such solver or limit");
        good = false;
    }
    message_free (message);
    if (!good)
        solving_clear (self);
    return good;
}

void solving_clear (solving_t *self)
{
    if (self->lists) {
        free (self->lists->nodes);
        free (self->lists->edges);
        free (self->lists->cpus);
        free (self->lists->links);
        free (self->lists->offers);
        free (self->lists->barred);
        free (self->lists);
    }
    *self = (solving_t){0};
}

/*  --- an answer --- */

solving_bytes_t solving_answer_encode (const program_t *program, const solver_answer_t *answer,
                                       int64_t spent_us)
{
    const program_plan_t *plan = answer->plan;
    Musubi__SolverAnswer wire = MUSUBI__SOLVER_ANSWER__INIT;
    wire.status = (char *) solver_status_word (answer->status);
    wire.bound = answer->bound;
    wire.steps = answer->steps;
    wire.spent_us = spent_us;
    uint32_t *paths = NULL;
    if (plan) {
        size_t nodes = 0;
        for (size_t l = 0; l < program->links_count; l++)
            nodes += plan->path_lengths [l];
        paths = must (malloc ((nodes + 1) * sizeof *paths));
        wire.n_nodes = program->sites_count;
        wire.nodes = plan->nodes;
        wire.n_path_lengths = program->links_count;
        wire.path_lengths = plan->path_lengths;
        wire.paths = paths;
        for (size_t l = 0; l < program->links_count; l++) {
            memcpy (&paths [wire.n_paths], &plan->paths [l * program->nodes_count],
                    plan->path_lengths [l] * sizeof *paths);
            wire.n_paths += plan->path_lengths [l];
        }
    }
    solving_bytes_t bytes = bytes_of (&wire.base);
    free (paths);
    return bytes;
}

static bool status_read (const char *word, solver_status_t *status)
{
    for (solver_status_t i = SOLVER_OPTIMAL; i <= SOLVER_UNKNOWN; i++)
        if (strcmp (word, solver_status_word (i)) == 0) {
            *status = i;
            return true;
        }
    return false;
}

/*  NULL when it is none. */
static program_plan_t *take_plan (const Musubi__SolverAnswer *from, const program_t *program)
{
    if (from->n_nodes != program->sites_count || from->n_path_lengths != program->links_count)
        return NULL;
    program_plan_t *plan = program_plan_new (program);
    memcpy (plan->nodes, from->nodes, from->n_nodes * sizeof *plan->nodes);
    size_t at = 0;
    bool good = true;
    for (size_t l = 0; l < program->links_count && good; l++) {
        uint32_t length = from->path_lengths [l];
        good = length <= program->nodes_count && length <= from->n_paths - at;
        if (!good)
            break;
        if (length > 0)
            memcpy (&plan->paths [l * program->nodes_count], &from->paths [at],
                    length * sizeof *plan->paths);
        plan->path_lengths [l] = length;
        at += length;
    }
    if (!good || at != from->n_paths || !program_plan_check (program, plan))
        program_plan_destroy (&plan);
    return plan;
}

bool solving_answer_decode (bytes_t body, const program_t *program, solver_answer_t *answer,
                            int64_t *spent_us)
{
    *answer = (solver_answer_t){.status = SOLVER_UNKNOWN};
    ProtobufCMessage *message = unpack (&musubi__solver_answer__descriptor, body);
    if (!message)
        return false;
    const Musubi__SolverAnswer *from = (Musubi__SolverAnswer *) message;
    bool good = status_read (from->status, &answer->status);
    bool planned = answer->status == SOLVER_OPTIMAL || answer->status == SOLVER_FEASIBLE;
    if (good && planned) {
        answer->plan = take_plan (from, program);
        good = answer->plan && from->bound <= answer->plan->cost &&
               (answer->status == SOLVER_FEASIBLE || from->bound == answer->plan->cost);
    }
    answer->bound = from->bound;
    answer->steps = from->steps;
    *spent_us = from->spent_us;
    message_free (message);
    if (!good) {
        program_plan_destroy (&answer->plan);
        *answer = (solver_answer_t){.status = SOLVER_UNKNOWN};
    }
    return good;
}
