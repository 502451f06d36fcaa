/*  scrub - looks at all files of a node for those that were read longest ago, and orders some. */
#include "scrub.h"

#include "must.h"

#include <stdlib.h>

#define SCRUB_AT_ONCE 16 /* files that a node is asked to read; it reads them one by one */
#define SCRUB_SOON_MS 100
#define SCRUB_LOOK_MS 60000
#define FILES_PER_MS  100 /* that may be looked at, on average */

struct scrub {
    service_t *service;
    chain_t *chain;
    scrub_limits_t limits;
    int64_t since_ms; /* wall; what was asked for last; 0 = nothing */
    uint32_t mbps;    /* at which that is read */
    uint64_t timer;
};

/*  A node's clock may be wrong, so what is heard counts by the clock of this site, too. */
static int64_t file_looked_ms (const chain_file_t *file)
{
    const stored_file_t *stored = &file->stored;
    int64_t looked_ms =
      stored->looked_ms > stored->proved_ms ? stored->looked_ms : stored->proved_ms;
    return looked_ms > file->looked_ms ? looked_ms : file->looked_ms;
}

static bool scrub_asked (const scrub_t *self, const chain_file_t *file)
{
    return file_looked_ms (file) < self->since_ms;
}

static bool is_due (const scrub_t *self, const moment_t *now, const chain_file_t *file)
{
    bool old =
      self->limits.every_ms > 0 && file_looked_ms (file) < now->wall_ms - self->limits.every_ms;
    return !file->drop && (old || scrub_asked (self, file));
}

/*  Keeps the list sorted, the oldest first; the youngest falls out. */
static void oldest_add (const chain_file_t *oldest [SCRUB_AT_ONCE], size_t *count,
                        const chain_file_t *file)
{
    size_t at = *count;
    while (at > 0 && file_looked_ms (oldest [at - 1]) > file_looked_ms (file))
        at--;
    if (at == SCRUB_AT_ONCE)
        return;
    *count += *count < SCRUB_AT_ONCE;
    for (size_t i = *count - 1; i > at; i--)
        oldest [i] = oldest [i - 1];
    oldest [at] = file;
}

/*  Returns whether files are left to be read; adds to the number of files that were looked at. */
static bool node_scrub (const scrub_t *self, const moment_t *now, const chain_node_t *node,
                        uint64_t *files)
{
    const chain_file_t *oldest [SCRUB_AT_ONCE];
    size_t count = 0, pending = 0;
    for (const chain_file_t *file = chain_file_after (node, NULL); file;
         file = chain_file_after (node, file->stored.file)) {
        ++*files;
        pending += file->prove;
        if (!file->prove && is_due (self, now, file))
            oldest_add (oldest, &count, file);
    }
    for (size_t i = 0; i < count && pending < SCRUB_AT_ONCE / 2; i++)
        chain_prove (self->chain, now, node->name, oldest [i]->stored.file,
                     scrub_asked (self, oldest [i]) ? self->mbps : self->limits.mbps);
    return count > 0 || pending > 0;
}

static void scrub_on_timer (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    scrub_t *self = owner;
    uint64_t files = 0;
    bool left = false;
    for (size_t i = 0; i < chain_nodes (self->chain); i++) {
        const chain_node_t *node = chain_node_at (self->chain, i);
        if (!node->guest && node->agent.state == AGENT_UP)
            left = node_scrub (self, now, node, &files) || left;
    }
    int64_t ms = left ? SCRUB_SOON_MS + (int64_t) (files / FILES_PER_MS) : SCRUB_LOOK_MS;
    timers_move (self->service->timers, &self->timer, now->mono_ms + ms, scrub_on_timer, self, 0);
}

void scrub_start (scrub_t *self, const moment_t *now)
{
    scrub_on_timer (self, now, 0);
}

scrub_answer_t scrub_ask (scrub_t *self, const moment_t *now, const scrub_question_t *question)
{
    int64_t since_ms = question->since_ms > 0 ? question->since_ms : now->wall_ms;
    scrub_answer_t answer = {.since_ms = since_ms};
    if (since_ms > self->since_ms) {
        self->since_ms = since_ms;
        self->mbps = question->mbps > 0 ? question->mbps : self->limits.mbps;
        scrub_start (self, now);
    }
    for (size_t i = 0; i < chain_nodes (self->chain); i++) {
        const chain_node_t *node = chain_node_at (self->chain, i);
        const chain_file_t *file = node->guest ? NULL : chain_file_after (node, NULL);
        bool up = node->agent.state == AGENT_UP;
        for (; file; file = chain_file_after (node, file->stored.file)) {
            bool left = up && scrub_asked (self, file);
            answer.found += file->bad_ms >= since_ms;
            answer.away += !up;
            answer.copies += up;
            answer.left += left;
            answer.bytes += up ? file->stored.content.size : 0;
            answer.bytes_left += left ? file->stored.content.size : 0;
        }
    }
    return answer;
}

scrub_t *scrub_new (service_t *service, chain_t *chain, const scrub_limits_t *limits)
{
    scrub_t *self = must (calloc (1, sizeof *self));
    *self = (scrub_t){.service = service, .chain = chain, .limits = *limits};
    return self;
}

void scrub_destroy (scrub_t **self_p)
{
    if (*self_p)
        timers_cancel ((*self_p)->service->timers, (*self_p)->timer);
    free (*self_p);
    *self_p = NULL;
}
