/*  shape - what is wanted, or seen, of circuits at one router: plain values of proto/routers.proto.
 */
#ifndef MUSUBI_SHAPE_H
#define MUSUBI_SHAPE_H

#include "agent_poll.h"

#define INTERFACE_BYTES_MAX   15 /* as the kernel has it */
#define QUEUE_KIND_BYTES_MAX  15
#define ROUTER_INTERFACES_MAX 256
#define SHAPES_MAX            1024       /* at one router */
#define SHAPE_PREFIXES_MAX    16         /* of one end */
#define PREFIX_TEXT_BYTES     19         /* "255.255.255.255/32" */
#define SHAPE_MBPS_MAX        1000000000 /* of a link */
#define DSCP_MAX              63
#define PORT_MAX              65535

/*  IPv4: addresses whose first bits are these; the others are 0. */
typedef struct {
    uint32_t address;
    uint32_t bits;
} prefix_t;

/*  "10.8.0.0/16", or an address alone; false with why, which says what would be right. */
bool prefix_parse (const char *text, prefix_t *prefix, char why [WHY_BYTES]);
uint32_t prefix_mask (const prefix_t *self);
bool prefixes_meet (const prefix_t *a, const prefix_t *b);

/*  A circuit's traffic in one direction at one interface. Owns its lists. */
typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
    char need [NAME_BYTES_MAX + 1]; /* with hop: which circuit */
    uint32_t hop;
    char interface [INTERFACE_BYTES_MAX + 1];
    bool inward; /* what comes in there; otherwise what goes out */
    uint32_t mbps;
    int64_t until_ms; /* wall */
    prefix_t *from;
    size_t from_count;
    prefix_t *to;
    size_t to_count;
    uint32_t dscp; /* 0 = any */
    uint32_t port; /* 0 = any */
} shape_t;

/*  Which traffic between the two ends of its circuits a reservation means; all zero = all of it. Of
 *  an end only the addresses given here that lie in it, if any do. */
typedef struct {
    char addresses [SHAPE_PREFIXES_MAX][PREFIX_TEXT_BYTES]; /* as prefix_parse takes them */
    size_t addresses_count;
    uint32_t dscp;
    uint32_t port;
} traffic_t;

/*  What the queue of a circuit of that bandwidth holds where there is no fq_codel: 5 ms, and at
 *  least three packets as a sender hands them over. */
uint64_t shape_queue_kib (uint32_t mbps);

/*  How long a packet waits in a full queue of that kind, at most: "fq_codel", which keeps to 5 ms,
 *  "bfifo", or "" = there is none. */
uint32_t shape_wait_us (const char *queue, uint32_t mbps);

/*  Would some traffic belong to both, and neither be the narrower one? */
bool shapes_meet (const shape_t *a, const shape_t *b);

typedef struct {
    char name [INTERFACE_BYTES_MAX + 1];
    uint32_t mbps;                         /* of its link; 0 = not told */
    char trouble [WHY_BYTES];              /* why nothing is shaped there; "" = nothing is wrong */
    char queue [QUEUE_KIND_BYTES_MAX + 1]; /* of circuits there, "bfifo"; "" = there are none */
} router_interface_t;

/*  Everything about one router. Owns its lists: codec_clear, by router_work_codec. */
typedef struct {
    router_interface_t *interfaces;
    size_t interfaces_count;
    shape_t *shapes;
    size_t shapes_count;
} router_work_t;

bool router_work_has (const router_work_t *self, const shape_t *shape);

typedef struct {
    char router [NAME_BYTES_MAX + 1];
    agent_question_t said;
    router_work_t seen;
} router_question_t;

typedef struct {
    uint64_t number;
    int64_t attend_ms;
    int64_t lease_ms; /* from the question on: so long nobody else is the router's agent */
    router_work_t wanted;
} router_answer_t;

extern const codec_t traffic_codec;
extern const codec_t shape_codec;
extern const codec_t router_work_codec;
extern const codec_t router_question_codec;
extern const codec_t router_answer_codec;

#endif
