/*  routers - the back end `agents`: an agent on each router of the domain shapes the traffic of
 *  circuits there (proto/routers.proto, ../router/router.h).
 *
 *  A circuit is shaped on each of its links in both directions: at the interface of the end from
 *  which the traffic leaves, or, where that end has none, at the other one as it comes in. It is
 *  active when the agents of all these interfaces have seen it there; an agent that is silent, or
 *  could not, makes it degraded. Circuits of one reservation between the same addresses have one
 *  class, with the bandwidth of all. Those of two reservations whose traffic could not be told
 *  apart are not shaped together: the later one is degraded until the earlier one ends. Nothing is
 *  stored. Pure.
 */
#ifndef MUSUBI_ROUTERS_H
#define MUSUBI_ROUTERS_H

#include "circuit_back_end.h"
#include "domain.h"

/*  The interfaces at the two ends of a link, in their order; "" = none. */
typedef struct {
    char ends [2][INTERFACE_BYTES_MAX + 1];
} link_interfaces_t;

/*  What a vertex stands for at the end of a circuit. */
typedef struct {
    prefix_t list [SHAPE_PREFIXES_MAX];
    size_t count;
} vertex_prefixes_t;

typedef struct {
    const link_interfaces_t *links; /* in the domain's order; each has an interface */
    const vertex_prefixes_t
      *vertices;        /* in the domain's order; sites and exchange points have some */
    uint32_t attend_ms; /* how long an agent's question waits when there is nothing new */
    uint32_t silent_ms;
    uint32_t lost_ms; /* twice silent_ms */
} routers_settings_t;

/*  Rows of its numbers. */
extern const setting_table_t routers_table;

typedef struct routers routers_t;

/*  Registers its method and start with the service. name is the domain's, "N". The domain is
 *  borrowed for life; settings are copied. told, with its owner, hears of changes. */
routers_t *routers_new (service_t *service, const char *name, const domain_t *domain,
                        const routers_settings_t *settings, circuit_state_fn *told, void *owner);
void routers_destroy (routers_t **self_p);

circuit_back_end_t routers_back_end (routers_t *self);

/*  A vertex by the name that its domain gives it: "r1" of "N/r1". */
const char *vertex_local_name (const vertex_t *vertex, const char *domain);

#endif
