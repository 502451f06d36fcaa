/*  bus - where a service is asked and heard: its ROUTER, its PUB, and SUBs on others' hints.
 *
 *  What comes in is checked here (proto/bus.proto): frames, protocol number, sizes, to_store. A
 *  request that can be answered is refused with the reason, the rest is counted and dropped, so a
 *  core sees sound requests only. Until keys exist an actor is a claimed name, believed because a
 *  bus binds beyond this machine only when the operator says that all who reach it are trusted.
 */
#ifndef MUSUBI_BUS_H
#define MUSUBI_BUS_H

#include "core.h"
#include "poll_set.h"

#define ENDPOINT_BYTES_MAX    255
#define REQUESTS_PENDING_MAX  65536 /* asked and not answered yet; more are OVERLOADED */
#define BUS_MESSAGES_HELD_MAX 1000  /* that a socket holds for one peer */
#define SUBSCRIPTIONS_MAX     4096
#define CALLER_IDLE_MS        600000 /* a connection that has asked nothing for so long is closed */
#define FOLLOWER_IDLE_S       60     /* after which the system asks a silent follower's machine */

typedef struct {
    const char *endpoint; /* to bind for requests; port 0 = any free one */
    const char *events;   /* to bind for hints */
    const char *data;     /* where flows are fed from; it has its own listener; NULL = nowhere */
    const char
      *host;      /* host that others are told in place of the bound one; NULL = the bound one */
    bool trusted; /* may bind beyond this machine */
    size_t connections_max; /* above it the longest idle one is closed; 0 = no limit */
} bus_settings_t;

typedef struct bus bus_t;

/*  Checks the settings without binding; false with why. */
bool bus_settings_right (const bus_settings_t *settings, char why [WHY_BYTES]);

/*  Binds; NULL with why. Its ports carry port_kind. */
bus_t *bus_new (poll_set_t *ports, int port_kind, const bus_settings_t *settings,
                const store_identity_t *store, char why [WHY_BYTES]);
void bus_destroy (bus_t **self_p);

/*  Before a clean end: messages already sent may still leave for so long. */
void bus_linger (bus_t *self, int milliseconds);

/*  Where others reach it. */
const char *bus_endpoint (const bus_t *self);
const char *bus_events (const bus_t *self);

/*  Reads one message of a ready port. True with EVENT_REQUEST or EVENT_NOTICE, which lives
 *  until the next bus_receive; false when there was none, or one that is dealt with: ask
 *  poll_set_ready again.
 */
bool bus_receive (bus_t *self, polled_t *port, event_t *event);

/*  EFFECT_REPLY, EFFECT_PUBLISH, EFFECT_SUBSCRIBE, EFFECT_UNSUBSCRIBE leave, a reply with the next
 *  bus_flush. A reply to a request that is not pending is our own mistake. False, with errno, when
 *  an endpoint can't be subscribed to: that is worth a line in the log, no more, since hints may be
 *  lost (T16). If it is for want of a descriptor, it waits for one. */
bool bus_effect (bus_t *self, const effect_t *effect);

/*  Lets the replies go: those to one caller that takes bundles leave as one message. */
void bus_flush (bus_t *self);

/*  Sets how many descriptors connections and subscriptions may use. */
void bus_limit (bus_t *self, size_t files);

/*  Subscriptions that wait for a descriptor. */
size_t bus_lacking (const bus_t *self);

/*  Closes that many connections, longest idle first, then retries the subscriptions that wait for
 *  a descriptor. */
void bus_make_room (bus_t *self, size_t files);

/*  Closes the connections that have asked nothing since the call before: every CALLER_IDLE_MS. */
void bus_close_idle (bus_t *self);

/*  Since the start, for logs and tests. */
typedef struct {
    uint64_t requests;
    uint64_t refused; /* answered here */
    uint64_t dropped; /* garbage, requests and hints */
    uint64_t pending;
    uint64_t closed;      /* connections, longest idle, to make room */
    uint64_t connections; /* now */
    uint64_t sent;        /* messages with replies, and hints, whoever hears them */
    uint64_t sent_bytes;  /* of their headers and bodies */
} bus_counts_t;

bus_counts_t bus_counts (const bus_t *self);

#endif
