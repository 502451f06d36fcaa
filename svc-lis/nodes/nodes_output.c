/*  nodes_output - fetches pieces of the output of runs: the next answer to the node's agent asks
 *  for a piece, and the agent brings it.
 */
#include "nodes_state.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>

typedef struct {
    wanted_output_t wanted;
    size_t node;
    uint64_t timer;
    output_fn *told;
    void *owner;
    uint64_t token;
} output_t;

static void on_late (void *owner, const moment_t *now, uint64_t token)
{
    nodes_t *self = owner;
    output_t *output = ordered_remove (self->outputs, &token);
    assert (output);
    nodes_dirty (self, now, output->node);
    output->told (output->owner, output->token, (bytes_t){0}, 0,
                  "the node did not send the output in time; ask again");
    free (output);
}

size_t nodes_outputs_wanted (const nodes_t *self, size_t node, wanted_output_t *wanted)
{
    size_t count = 0;
    for (const output_t *output = NULL; (output = ordered_next (self->outputs, output));)
        if (output->node == node && count < NODE_OUTPUTS_MAX)
            wanted [count++] = output->wanted;
    return count;
}

/*  Why the output can't be fetched; NULL when it can. */
static const char *why_not (const nodes_t *self, const node_run_t *entry)
{
    wanted_output_t wanted [NODE_OUTPUTS_MAX];
    if (!entry)
        return "the site has no record of that run, or no longer has one";
    if (entry->node == NODE_NONE || entry->orphan)
        return "the node of that run no longer has its output";
    if (self->places [entry->node].agent.state != AGENT_UP)
        return "the node of that run is silent; ask again later";
    if (nodes_outputs_wanted (self, entry->node, wanted) == NODE_OUTPUTS_MAX)
        return "too many requests for output wait for that node; ask again";
    return NULL;
}

void nodes_output (nodes_t *self, const moment_t *now, const run_id_t *id, bool errors,
                   uint64_t offset, uint32_t most, output_fn *told, void *owner, uint64_t token)
{
    const node_run_t *entry = nodes_entry (self, id);
    const char *why = why_not (self, entry);
    if (why) {
        told (owner, token, (bytes_t){0}, 0, why);
        return;
    }
    if (most == 0 || most > self->limits.output_bytes_max)
        most = self->limits.output_bytes_max;
    output_t *output = must (calloc (1, sizeof *output));
    uint64_t number = (uint64_t) self->service->store.start << 32 | ++self->outputs_asked;
    *output = (output_t){
      .wanted = {.number = number, .id = *id, .errors = errors, .offset = offset, .most = most},
      .node = entry->node,
      .told = told,
      .owner = owner,
      .token = token};
    output->timer =
      timers_set (self->service->timers, now->mono_ms + OUTPUT_WAIT_MS, on_late, self, number);
    ordered_add (self->outputs, &output->wanted.number, output);
    nodes_dirty (self, now, entry->node);
}

static void nodes_output_take (nodes_t *self, const moment_t *now, output_t *output,
                               const output_piece_t *piece)
{
    bytes_t data = piece->data;
    if (data.size > output->wanted.most)
        data.size = output->wanted.most;
    ordered_remove (self->outputs, &piece->number);
    timers_cancel (self->service->timers, output->timer);
    nodes_dirty (self, now, output->node);
    output->told (output->owner, output->token, data, piece->size, *piece->why ? piece->why : NULL);
    free (output);
}

/*  A piece that comes too late, or twice, is not awaited any more, and dropped. */
void nodes_on_bring (void *owner, const moment_t *now, const request_t *request, void *body)
{
    nodes_t *self = owner;
    const output_piece_t *piece = body;
    output_t *output = ordered_find (self->outputs, &piece->number);
    if (output && agent_is (request->actor, "node/", self->places [output->node].name))
        nodes_output_take (self, now, output, piece);
    service_reply (self->service, request, (packed_t){0});
}

void nodes_outputs_end (nodes_t *self)
{
    for (output_t *output; (output = ordered_after (self->outputs, NULL));) {
        timers_cancel (self->service->timers, output->timer);
        free (ordered_remove (self->outputs, &output->wanted.number));
    }
    ordered_destroy (&self->outputs);
}

void nodes_outputs_init (nodes_t *self)
{
    self->outputs = ordered_by_number (offsetof (output_t, wanted.number));
}
