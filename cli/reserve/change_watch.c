/*  change_watch - one SUB socket, connected to all sites and network domains. */
#include "change_watch.h"

#include "cli.h"
#include "must.h"

#include <czmq.h>

/*  A burst of notices counts as one: those that follow closely are swallowed for a while. */
#define BURST_GAP_MS 100
#define BURST_MS_MAX 500

struct notices {
    zsock_t *socket;
    zpoller_t *poller;
    json_t *followed; /* a set of endpoints */
};

change_watch_t *change_watch_new (const char *topics)
{
    change_watch_t *self = must (calloc (1, sizeof *self));
    self->socket = must (zsock_new (ZMQ_SUB));
    zsock_set_linger (self->socket, 0);
    while (*topics) {
        char topic [64];
        size_t length = strcspn (topics, " ");
        snprintf (topic, sizeof topic, "%.*s", (int) length, topics);
        zsock_set_subscribe (self->socket, topic);
        topics += length + strspn (topics + length, " ");
    }
    self->poller = must (zpoller_new (self->socket, NULL));
    self->followed = must (json_object ());
    return self;
}

void change_watch_destroy (change_watch_t **self_p)
{
    change_watch_t *self = *self_p;
    if (!self)
        return;
    json_decref (self->followed);
    zpoller_destroy (&self->poller);
    zsock_destroy (&self->socket);
    free (self);
    *self_p = NULL;
}

void change_watch_follow (change_watch_t *self, const json_t *entries)
{
    const json_t *entry;
    for (size_t i = 0; (entry = json_array_get (entries, i)); i++) {
        const char *events = json_string_value (json_object_get (entry, "events"));
        bool holds = json_object_get (entry, "site") || json_object_get (entry, "domain") ||
                     json_object_get (entry, "storage");
        if (!holds || !events || !*events || json_object_get (self->followed, events))
            continue;
        json_object_set_new (self->followed, events, json_true ());
        zsock_connect (self->socket, "%s", events);
    }
}

void change_watch_wait (change_watch_t *self, int64_t ms)
{
    int64_t until_ms = INT64_MAX;
    while (ms > 0 && zpoller_wait (self->poller, (int) ms)) {
        zmsg_t *notice = zmsg_recv (self->socket);
        zmsg_destroy (&notice);
        int64_t now_ms = cli_mono_ms ();
        if (until_ms == INT64_MAX)
            until_ms = now_ms + BURST_MS_MAX;
        ms = until_ms - now_ms < BURST_GAP_MS ? until_ms - now_ms : BURST_GAP_MS;
    }
}
