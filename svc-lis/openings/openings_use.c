/*  openings_use - accounts what a reservation's runs have used of what it was offered, and lends or
 *  gives back what is not used.
 *
 *  The sum of the runs that are over is stored; the nodes tell what the others have used so far.
 *  Whatever is more than at the last account was used since then.
 */
#include "openings_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *reservation;
    int64_t cpu_ms;
} using_t;

static bool add_run (void *owner, const run_t *run)
{
    using_t *using = owner;
    if (strcmp (run->reservation, using->reservation) == 0)
        using->cpu_ms += run->cpu_ms;
    return true;
}

static void openings_use_account (const opening_entry_t *entry, const moment_t *now,
                                  stored_use_t *use)
{
    const nodes_t *nodes = entry->openings->parts.nodes;
    int64_t until_ms = present_ms (entry->openings, now);
    until_ms = until_ms < entry->kept.until_ms ? until_ms : entry->kept.until_ms;
    using_t using = {.reservation = entry->reservation, .cpu_ms = use->over_cpu_ms};
    int64_t cpus = 0;
    for (size_t i = 0; i < entry->kept.nodes_count; i++) {
        size_t node = entry->kept.nodes [i].node;
        nodes_runs (nodes, node, add_run, &using);
        cpus += bound_kept (&entry->kept.nodes [i]) && entry->kept.nodes [i].due
                  ? nodes_at (nodes, node).cpus
                  : 0;
    }
    if (nodes_batch (nodes) != NODES_NONE)
        nodes_runs (nodes, nodes_batch (nodes), add_run, &using);
    interval_t over = {use->until_ms, until_ms};
    if (over.from >= over.until)
        over = (interval_t){over.from - 1, over.from}; /* it came after the end */
    int64_t offered_ms = until_ms > use->until_ms ? cpus * (until_ms - use->until_ms) : 0;
    int64_t used_ms = using.cpu_ms - cpu_usage_used (&use->spent);
    cpu_usage_add (&use->spent, over, used_ms > 0 ? used_ms : 0, offered_ms);
    use->until_ms = until_ms > use->until_ms ? until_ms : use->until_ms;
}

void opening_account (opening_entry_t *entry, const moment_t *now)
{
    openings_use_account (entry, now, entry->use);
}

stored_use_t opening_use_now (const opening_entry_t *entry, const moment_t *now)
{
    stored_use_t use = {0};
    if (entry->use)
        use = *entry->use;
    if (entry->use && entry->kept.phase != OPENING_OVER)
        openings_use_account (entry, now, &use);
    return use;
}

void opening_run_over (opening_entry_t *entry, const moment_t *now, const run_t *run)
{
    entry->active_ms = present_ms (entry->openings, now);
    entry->use->over_cpu_ms += run->cpu_ms > 0 ? run->cpu_ms : 0;
    opening_put_use (entry);
}

void opening_counted (opening_entry_t *entry, bytes_t result)
{
    char text [32];
    snprintf (text, sizeof text, "%.*s", (int) result.size, (const char *) result.data);
    bool accounted = strcmp (text, BACK_END_NO_ACCOUNTING) != 0;
    int64_t cpu_ms = accounted ? strtoll (text, NULL, 10) : 0;
    entry->use->counted = accounted ? USE_ACCOUNTED : USE_UNACCOUNTED;
    entry->use->counted_cpu_ms = cpu_ms > 0 ? cpu_ms : 0;
    opening_put_use (entry);
    outbox_log (entry->openings->parts.service->outbox, LEVEL_INFO,
                "opening %s told_cpu_ms=%lld accounted_cpu_ms=%s", entry->reservation,
                (long long) cpu_usage_used (&entry->use->spent), text);
}

/*  --- what is not used --- */

static bool openings_use_due (int64_t after_ms, bool done, const opening_entry_t *entry,
                              int64_t now_ms)
{
    return after_ms > 0 && !done && now_ms >= entry->active_ms + after_ms;
}

bool opening_lend (opening_entry_t *entry, const moment_t *now)
{
    openings_t *self = entry->openings;
    int64_t now_ms = present_ms (self, now);
    bool recalled = entry->recalled;
    entry->recalled = false;
    bool lend = openings_use_due (self->limits.lend_ms, entry->kept.lent, entry, now_ms);
    bool give_back =
      openings_use_due (self->limits.release_ms, entry->kept.given_back, entry, now_ms);
    if (!lend && !give_back)
        return recalled;
    if (opening_runs (entry) ||
        (self->observer.wants && self->observer.wants (self->observer.owner, entry->reservation))) {
        entry->active_ms = now_ms;
        return recalled;
    }
    entry->kept.lent = entry->kept.lent || lend;
    entry->kept.given_back = entry->kept.given_back || give_back;
    service_count (self->parts.service, give_back ? "openings_given_back" : "openings_lent", 1);
    outbox_log (self->parts.service->outbox, LEVEL_INFO, "opening %s unused_s=%lld %s",
                entry->reservation, (long long) (now_ms - entry->active_ms) / 1000,
                give_back ? "given back" : "lent");
    return true;
}

int64_t opening_lend_due (const opening_entry_t *entry)
{
    const openings_limits_t *limits = &entry->openings->limits;
    int64_t due_ms = INT64_MAX;
    if (limits->lend_ms > 0 && !entry->kept.lent)
        due_ms = entry->active_ms + limits->lend_ms;
    if (limits->release_ms > 0 && !entry->kept.given_back &&
        entry->active_ms + limits->release_ms < due_ms)
        due_ms = entry->active_ms + limits->release_ms;
    return due_ms;
}
