/*  domain - what a network domain offers: vertices, links between them, and how it deals with
 *  requests.
 *
 *  Plain values, as NIS is configured with, GIS tells and planners plan with. Latencies are kept in
 *  whole microseconds, so that sums along a path are exact.
 */
#ifndef MUSUBI_DOMAIN_H
#define MUSUBI_DOMAIN_H

#include "site.h"

#define DOMAIN_VERTICES_MAX 4096
#define DOMAIN_LINKS_MAX    4096
#define LINK_MBPS_MAX       1000000000       /* 1 Pbit/s */
#define LATENCY_US_MAX      60000000         /* of one link: a minute */
#define LINK_PRICE_MAX      1000000000000    /* micro-credits: a million credits a Gbit/s-hour */
#define LINK_COST_MAX       1000000000000000 /* of one link; sums of thousands don't overflow */
#define DOMAIN_BYTES_MAX    786432 /* packed: an entry with it must fit into one message */

/*  Same numbers as proto VertexKind. */
typedef enum { VERTEX_SITE, VERTEX_EXCHANGE, VERTEX_ROUTER } vertex_kind_t;

/*  "site", "exchange point", "router". */
const char *vertex_kind_word (vertex_kind_t kind);

typedef struct {
    char name [NAME_BYTES_MAX + 1]; /* "ams", "X1"; a router "N/r7" */
    vertex_kind_t kind;
    attribute_t *attributes;
    size_t attributes_count;
} vertex_t;

typedef struct {
    char name [NAME_BYTES_MAX + 1];    /* unique in the domain */
    char ends [2][NAME_BYTES_MAX + 1]; /* vertices of the domain */
    uint32_t mbps;                     /* both directions together */
    int64_t latency_us;
    int64_t price; /* micro-credits a Gbit/s-hour */
    attribute_t *attributes;
    size_t attributes_count;
} link_t;

typedef struct {
    vertex_t *vertices;
    size_t vertices_count;
    link_t *links;
    size_t links_count;
    disclosure_t disclosure;
    int64_t lead_ms;    /* refuses windows nearer than this */
    int64_t horizon_ms; /* books at most this far ahead */
} domain_t;

extern const codec_t vertex_codec;
extern const codec_t link_codec;

/*  A description that came from a peer must also pass domain_check, which knows its name. */
extern const codec_t domain_codec;

/*  Is it a graph? Names are well formed and given once, the ends of links are known and different,
 *  a router is named "domain/name", and limits are kept. name is the domain's, "N". False with why,
 *  which names the vertex or link. A link may have no capacity: then it exists, but is out of
 *  service. */
bool domain_check (const domain_t *self, const char *name, char why [WHY_BYTES]);

/*  Index of a link; SIZE_MAX when there is none of that name. Looks at each link: for many look-ups
 *  keep an order of your own. */
size_t domain_link (const domain_t *self, const char *name);

/*  Goes over links, by their places in the domain: each begins where the one before it ends, and no
 *  vertex is passed twice. vertices gets those on the way, count + 1. Returns how many links could
 *  be gone over; the next one leads back to where the walk has been (*again), or begins
 *  elsewhere. */
size_t domain_walk (const domain_t *self, const size_t *links, size_t count, const char **vertices,
                    bool *again);

/*  Does the link meet all requirements? */
bool link_meets (const link_t *self, const requirement_t *require, size_t require_count);

/*  What a bandwidth costs for a time on one link, in micro-credits, rounded up; LINK_COST_MAX when
 *  it would be more. price is 0 to LINK_PRICE_MAX. */
int64_t link_cost (int64_t price, uint32_t mbps, int64_t duration_ms);

#endif
