/*  freed - one SUB socket to all sites. Hints may be lost: whoever waits here also polls. */
#include "freed.h"

#include <czmq.h>

/*  A burst of hints is one occasion: what follows within this time is swallowed. */
#define BURST_MS 100

struct freed {
    zsock_t *hints;
    zpoller_t *poller;
};

freed_t *freed_new (const json_t *entries)
{
    freed_t *self = calloc (1, sizeof *self);
    if (!self)
        abort ();
    self->hints = zsock_new (ZMQ_SUB);
    if (!self->hints)
        abort ();
    zsock_set_linger (self->hints, 0);
    zsock_set_subscribe (self->hints, "calendar");
    size_t i;
    const json_t *entry;
    json_array_foreach (entries, i, entry)
    {
        const char *events = json_string_value (json_object_get (entry, "events"));
        if (json_object_get (entry, "site") && events && *events)
            zsock_connect (self->hints, "%s", events);
    }
    self->poller = zpoller_new (self->hints, NULL);
    if (!self->poller)
        abort ();
    return self;
}

void freed_destroy (freed_t **self_p)
{
    freed_t *self = *self_p;
    if (!self)
        return;
    zpoller_destroy (&self->poller);
    zsock_destroy (&self->hints);
    free (self);
    *self_p = NULL;
}

void freed_wait (freed_t *self, int64_t ms)
{
    while (zpoller_wait (self->poller, (int) ms)) {
        zmsg_t *hint = zmsg_recv (self->hints);
        zmsg_destroy (&hint);
        ms = BURST_MS;
    }
}
