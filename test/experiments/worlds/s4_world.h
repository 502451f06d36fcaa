/*  s4_world - the federation and the users of S4's simulation (figure 4, table 1 of the paper;
 *  where it is silent or its figure is lost, as said here).
 *
 *      N    sites N1 to N4, 8, 16, 32 and 64 CPUs      X1 joins N, S and U
 *      S    sites S1 to S3, 8, 16 and 32 CPUs          X2 joins N and S
 *      U    sites U1 to U3, 8, 16 and 32 CPUs
 *
 *  The sites of a domain are fully meshed at 5 Gbit/s, each is joined to each exchange point of its
 *  domain at 10. A CPU costs 1 credit an hour, a Gbit/s 5 inside and 3 to an exchange point.
 *
 *  Two users ask one planner. A request is one of four shapes, all as likely: two sites, a chain of
 *  three, three all linked, four all linked; the same number of CPUs at each, 1, 2, 4 or 8, and 1
 *  Gbit/s on each link, for 30, 60 or 120 minutes. Requests come over the first day, each user's as
 *  a Poisson stream, and want to start at some time of the second day, any as likely, or up to
 *  three mean intervals between a user's requests later. Load 1 would keep every CPU busy for a
 *  day, were every request of a day granted. Pure.
 */
#ifndef MUSUBI_S4_WORLD_H
#define MUSUBI_S4_WORLD_H

#include "domain.h"
#include "scenario.h"

#define S4_SITES   10
#define S4_DOMAINS 3
#define S4_USERS   2
#define S4_CPUS    232
#define S4_DAY_MS  INT64_C (86400000)

typedef struct {
    const char *name; /* "N3" */
    size_t domain;
    uint32_t cpus;
} s4_site_t;

extern const s4_site_t s4_sites [S4_SITES];
extern const char *const s4_domains [S4_DOMAINS]; /* "N", "S", "U" */
extern const char *const s4_users [S4_USERS];     /* "UserA", "UserB" */

typedef struct {
    site_t sites [S4_SITES];
    domain_t domains [S4_DOMAINS];
} s4_world_t;

void s4_world_make (s4_world_t *self);
void s4_world_clear (s4_world_t *self);

/*  Mean time between two requests of one user. */
double s4_interval_ms (double load);

/*  The requests that come until then, ascending by arrival; the caller frees the list. The requests
 *  of one user do not depend on the other user's. */
scenario_request_t *s4_requests (uint64_t seed, double load, int64_t until_ms, size_t *count);

#endif
