/*  circuits - depth first over the circuits of a need; for each, paths from each source, the
 *  cheapest first.
 */
#include "circuits.h"

#include "participant_ref.h"

#include <string.h>

#define HOUR_MS 3600000.0

double network_need_hours (const user_request_t *request, size_t network_need)
{
    int64_t from_ms;
    int64_t until_ms;
    network_need_interval (request, network_need, &from_ms, &until_ms);
    return (double) (until_ms - from_ms) / HOUR_MS;
}

size_t circuits_vertex (const snapshot_t *snapshot, size_t source)
{
    const char *name = participant_ref_short_name (snapshot->sources [source].party.name);
    return snapshot->graph ? graph_vertex (snapshot->graph, name) : SIZE_MAX;
}

static window_t carries_over (const beside_t *self, size_t link)
{
    const user_request_t *request = self->snapshot->request;
    window_t window = {.quantity = request->network [link].mbps};
    network_need_interval (request, link, &window.from_ms, &window.until_ms);
    window.from_ms += self->plan->start_ms;
    window.until_ms += self->plan->start_ms;
    return window;
}

/*  What is not visible is taken as if by somebody else. */
static int64_t beside_free (void *owner, size_t at)
{
    const beside_t *self = owner;
    int64_t alone = self->views [self->link].room [at];
    window_t others [FREE_PROFILE_OTHERS_MAX], window = carries_over (self, self->link);
    size_t count = 0;
    if (alone < 0)
        return alone;
    for (size_t l = 0; l < self->snapshot->request->network_count; l++) {
        const path_t *path = &self->plan->paths [l];
        for (size_t i = 0; l != self->link && i < path->links_count; i++)
            if (path->links [i] == at)
                others [count++] = carries_over (self, l);
    }
    return free_profile_least_beside (&self->snapshot->links [at].free_profile, window.from_ms,
                                      window.until_ms, others, count) -
           (alone - alone * self->visible / 100);
}

static int64_t beside_weight (void *owner, size_t at)
{
    return ((const beside_t *) owner)->costs->links [at];
}

path_question_t beside_question (beside_t *self, size_t from, size_t to)
{
    const network_need_t *need = &self->snapshot->request->network [self->link];
    return (path_question_t){.from = from,
                             .to = to,
                             .order = PATH_CHEAP,
                             .latency_us_max = need->latency_us_max,
                             .mbps = need->mbps,
                             .free = beside_free,
                             .weight = beside_weight,
                             .owner = self};
}

typedef struct {
    const circuits_question_t *question;
    const snapshot_t *snapshot;
    const user_request_t *request;
    window_plan_t *plan;
    window_plan_t *kept; /* the best so far */
    double weight;       /* of the circuits tried now */
    bool found;
    double best_weight;
    uint64_t steps;
} circuit_trial_t;

static size_t source_of (const circuit_trial_t *self, size_t link)
{
    return network_need_end (self->request, link, 0);
}

/*  The next circuit of the need, from this one on; the number of connections when there is none. */
static size_t next_circuit (const circuit_trial_t *self, size_t link)
{
    while (link < self->request->network_count &&
           (self->request->network [link].data == 0 ||
            self->request->compute [source_of (self, link)].derived.at != self->question->need))
        link++;
    return link;
}

static void copy_circuits (const circuit_trial_t *self, window_plan_t *to,
                           const window_plan_t *from)
{
    size_t link = next_circuit (self, 0);
    for (; link < self->request->network_count; link = next_circuit (self, link + 1)) {
        to->choice [source_of (self, link)] = from->choice [source_of (self, link)];
        to->paths [link] = from->paths [link];
    }
}

static void try_circuits (circuit_trial_t *self, size_t link);

/*  Goes on with this path for the circuit; false when it and all later ones weigh too much. */
static bool try_path (circuit_trial_t *self, size_t link, const path_t *path)
{
    double weight = (double) path->weight * self->request->network [link].mbps *
                    network_need_hours (self->request, link);
    if (self->found && self->weight + weight >= self->best_weight)
        return false;
    self->plan->paths [link] = *path;
    self->weight += weight;
    try_circuits (self, next_circuit (self, link + 1));
    self->weight -= weight;
    memset (&self->plan->paths [link], 0, sizeof *path);
    return true;
}

static void try_source (circuit_trial_t *self, size_t link, const site_class_t *from)
{
    const site_class_t *to = &self->snapshot->places [self->question->place];
    size_t ends [2] = {circuits_vertex (self->snapshot, from->source),
                       circuits_vertex (self->snapshot, to->source)};
    beside_t beside = self->question->beside;
    path_t path = {.from = SIZE_MAX};
    beside.link = link;
    if (from->site == to->site)
        (void) try_path (self, link, &path);
    else if (ends [0] != SIZE_MAX && ends [1] != SIZE_MAX) {
        path_question_t question = beside_question (&beside, ends [0], ends [1]);
        path_finder_t *finder = path_finder_new (self->snapshot->graph, &question);
        while (path_finder_next (finder, &path, &self->steps) == PATH_FOUND &&
               try_path (self, link, &path))
            ;
        path_finder_destroy (&finder);
    }
}

/*  This circuit and all after it. */
static void try_circuits (circuit_trial_t *self, size_t link)
{
    const snapshot_t *snapshot = self->snapshot;
    if (link == self->request->network_count) {
        copy_circuits (self, self->kept, self->plan);
        self->found = true;
        self->best_weight = self->weight;
        return;
    }
    size_t need = source_of (self, link);
    const option_t here = {.place = self->question->place};
    for (size_t i = 0; i < snapshot->needs [need].options_count; i++) {
        const option_t *option = &snapshot->needs [need].options [i];
        self->plan->choice [need] = i;
        if (option_beside (snapshot, need, option, &here) &&
            !snapshot->sources [snapshot->places [option->place].source].left_out)
            try_source (self, link, &snapshot->places [option->place]);
    }
}

bool circuits_find (const circuits_question_t *question, window_plan_t *plan, window_plan_t *kept,
                    double *weight)
{
    circuit_trial_t self = {.question = question,
                            .snapshot = question->beside.snapshot,
                            .request = question->beside.snapshot->request,
                            .plan = plan,
                            .kept = kept,
                            .steps = question->steps_max};
    try_circuits (&self, next_circuit (&self, 0));
    if (self.found)
        copy_circuits (&self, plan, kept);
    *weight = self.best_weight;
    return self.found;
}
