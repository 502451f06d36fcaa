/*  sharing_hosts - checks that the sites which have tasks of this one still serve from the same
 *  store.
 *
 *  A host whose store is gone for good will never tell how its guests ended. So each host is asked
 *  for its name and its store now and then. When the site of that name has served from another
 *  store for long enough, the tasks that are away there are lost. They may have been run, so they
 *  are not run again. Silence, or another service at its address, proves nothing.
 */
#include "message.h"
#include "sharing_state.h"

#include "bus.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*  A store that moves have gone to. */
typedef struct {
    sharing_t *sharing;
    participant_ref_t to;
    uint64_t call;
    bool other; /* the site has answered from another store since other_ms */
    int64_t other_ms;
    bool left; /* at the last look there were moves there */
} move_host_t;

int sharing_by_host (const void *key, const void *thing)
{
    const participant_ref_t *a = key;
    const participant_ref_t *b = &((const move_host_t *) thing)->to;
    int order = strcmp (a->name, b->name);
    return order ? order : memcmp (a->store, b->store, STORE_ID_BYTES);
}

static void host_lost (sharing_t *self, const moment_t *now, const move_host_t *host)
{
    char why [WHY_BYTES];
    snprintf (why, sizeof why,
              "%s, where the task was, has lost its store; the task may have been run there",
              host->to.name);
    for (move_t *move = ordered_after (self->moves, NULL), *next; move; move = next) {
        txid_t id = move->kept.id;
        if (sharing_by_host (&move->kept.to, host) == 0)
            sharing_move_lost (move, now, why);
        next = ordered_after (self->moves, &id);
    }
}

/*  Is this the Status of the service of that name? */
static bool is_of (bytes_t body, const char *name)
{
    message_auto_t *status = message_unpack (&musubi__status_answer__descriptor, body);
    return status && strcmp (((const Musubi__StatusAnswer *) status)->name, name) == 0;
}

static void sharing_hosts_on_status (void *owner, const moment_t *now, uint64_t token,
                                     const call_result_t *result)
{
    (void) token;
    move_host_t *host = owner;
    sharing_t *self = host->sharing;
    host->call = 0;
    if (result->status != CALL_OK || !is_of (result->body, host->to.name))
        return;
    if (memcmp (result->store, host->to.store, STORE_ID_BYTES) == 0) {
        host->other = false;
    } else if (!host->other) {
        host->other = true;
        host->other_ms = now->mono_ms;
        outbox_log (
          self->service->outbox, LEVEL_ALARM,
          "host %s serves from another store: tasks that are away there are lost in %" PRId64
          " s unless the old store returns",
          host->to.name, self->limits.lost_ms / 1000);
    }
    if (host->other && now->mono_ms - host->other_ms >= self->limits.lost_ms)
        host_lost (self, now, host);
}

static void sharing_hosts_ask (move_host_t *host, const moment_t *now)
{
    sharing_t *self = host->sharing;
    call_order_t order = {.peer = host->to.name,
                          .endpoint = host->to.endpoint,
                          .service = "Service",
                          .method = "Status",
                          .timeout_ms = self->limits.timeout_ms,
                          .tries_max = 1};
    host->call =
      service_ask (self->service, now, &order, (packed_t){0}, sharing_hosts_on_status, host, 0);
}

static move_host_t *sharing_hosts_host_of (sharing_t *self, const participant_ref_t *to)
{
    move_host_t *host = ordered_find (self->hosts, to);
    if (host)
        return host;
    host = must (calloc (1, sizeof *host));
    host->sharing = self;
    host->to = *to;
    ordered_add (self->hosts, &host->to, host);
    return host;
}

static void host_end (move_host_t *host)
{
    calls_cancel (host->sharing->service->calls, host->call);
    ordered_remove (host->sharing->hosts, &host->to);
    free (host);
}

static void sharing_hosts_on_look (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    sharing_t *self = owner;
    for (const move_t *move = ordered_after (self->moves, NULL); move;
         move = ordered_after (self->moves, &move->kept.id))
        sharing_hosts_host_of (self, &move->kept.to)->left = true;
    for (move_host_t *host = ordered_after (self->hosts, NULL), *next; host; host = next) {
        next = ordered_after (self->hosts, &host->to);
        if (!host->left) {
            host_end (host);
            continue;
        }
        host->left = false;
        if (host->call == 0)
            sharing_hosts_ask (host, now);
    }
    sharing_hosts_watch (self, now);
}

void sharing_hosts_watch (sharing_t *self, const moment_t *now)
{
    self->hosts_timer = timers_set (self->service->timers, now->mono_ms + self->limits.again_ms,
                                    sharing_hosts_on_look, self, 0);
}

void sharing_hosts_destroy (sharing_t *self)
{
    timers_cancel (self->service->timers, self->hosts_timer);
    for (move_host_t *host; (host = ordered_after (self->hosts, NULL));)
        host_end (host);
    ordered_destroy (&self->hosts);
}
