/*  shape - prefixes, and the tables of proto/routers.proto. */
#include "shape.h"

#include "codec_table.h"

#include "routers.pb-c.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#define QUEUE_MS  5
#define QUEUE_KIB 192

/*  --- prefixes --- */

uint32_t prefix_mask (const prefix_t *self)
{
    return self->bits == 0 ? 0 : UINT32_MAX << (32 - self->bits);
}

bool prefixes_meet (const prefix_t *a, const prefix_t *b)
{
    uint32_t mask = prefix_mask (a) & prefix_mask (b);
    return (a->address & mask) == (b->address & mask);
}

bool prefix_parse (const char *text, prefix_t *prefix, char why [WHY_BYTES])
{
    char address [INET_ADDRSTRLEN] = "";
    struct in_addr read;
    size_t length = strcspn (text, "/");
    char *end = NULL;
    unsigned long bits = text [length] ? strtoul (text + length + 1, &end, 10) : 32;
    snprintf (address, sizeof address, "%.*s", (int) length, text);
    if (length >= sizeof address || inet_pton (AF_INET, address, &read) != 1 || bits > 32 ||
        (end && (*end || end == text + length + 1)))
        return wrong (why, "\"%.40s\" should be IPv4 addresses, such as 10.8.0.0/16 or 10.8.0.7",
                      text);
    *prefix = (prefix_t){.address = ntohl (read.s_addr), .bits = (uint32_t) bits};
    uint32_t first = prefix->address & prefix_mask (prefix);
    if (first == prefix->address)
        return true;
    read.s_addr = htonl (first);
    inet_ntop (AF_INET, &read, address, sizeof address);
    return wrong (why, "\"%.40s\" has an address within it; %s/%lu would be right", text, address,
                  bits);
}

/*  --- shapes --- */

static bool any_meet (const prefix_t *a, size_t a_count, const prefix_t *b, size_t b_count)
{
    for (size_t i = 0; i < a_count; i++)
        for (size_t j = 0; j < b_count; j++)
            if (prefixes_meet (&a [i], &b [j]))
                return true;
    return false;
}

uint64_t shape_queue_kib (uint32_t mbps)
{
    uint64_t kib = UINT64_C (1000) / 8 * QUEUE_MS * mbps >> 10;
    return kib > QUEUE_KIB ? kib : QUEUE_KIB;
}

uint32_t shape_wait_us (const char *queue, uint32_t mbps)
{
    if (strcmp (queue, "bfifo") == 0 && mbps > 0)
        return (uint32_t) (shape_queue_kib (mbps) * 1024 * 8 / mbps);
    return strcmp (queue, "fq_codel") == 0 ? QUEUE_MS * 1000 : 0;
}

bool shapes_meet (const shape_t *a, const shape_t *b)
{
    return a->inward == b->inward && a->dscp == b->dscp && a->port == b->port &&
           strcmp (a->interface, b->interface) == 0 &&
           any_meet (a->from, a->from_count, b->from, b->from_count) &&
           any_meet (a->to, a->to_count, b->to, b->to_count);
}

bool router_work_has (const router_work_t *self, const shape_t *shape)
{
    for (size_t i = 0; i < self->shapes_count; i++)
        if (strcmp (self->shapes [i].reservation, shape->reservation) == 0 &&
            codec_same (&shape_codec, &self->shapes [i], shape))
            return true;
    return false;
}

/*  --- tables --- */

static const codec_row_t prefix_rows [] = {
  ROW_NUMBER ("address", prefix_t, address),
  ROW_NUMBER ("bits", prefix_t, bits, BETWEEN (0, 32)),
};

static bool prefix_rule (void *self, char why [WHY_BYTES])
{
    const prefix_t *prefix = self;
    return (prefix->address & ~prefix_mask (prefix)) == 0 ||
           wrong (why, "address: should be 0 behind its first %u bits", prefix->bits);
}

static const codec_t prefix_codec = CODEC_RULED (prefix_t, prefix, prefix_rows, prefix_rule);

static const codec_row_t traffic_rows [] = {
  ROW_WORD_ARRAY ("addresses", traffic_t, addresses, addresses_count),
  ROW_NUMBER ("dscp", traffic_t, dscp, MOST (DSCP_MAX)),
  ROW_NUMBER ("port", traffic_t, port, MOST (PORT_MAX)),
};

static bool traffic_rule (void *self, char why [WHY_BYTES])
{
    const traffic_t *traffic = self;
    char wrong_why [WHY_BYTES];
    prefix_t prefix;
    for (size_t i = 0; i < traffic->addresses_count; i++)
        if (!prefix_parse (traffic->addresses [i], &prefix, wrong_why))
            return wrong (why, "addresses[%zu]: %.200s", i, wrong_why);
    return true;
}

const codec_t traffic_codec = CODEC_RULED (traffic_t, traffic, traffic_rows, traffic_rule);

static const codec_row_t shape_rows [] = {
  ROW_WORD ("reservation", shape_t, reservation),
  ROW_WORD ("need", shape_t, need),
  ROW_NUMBER ("hop", shape_t, hop),
  ROW_WORD ("interface", shape_t, interface),
  ROW_FLAG ("inward", shape_t, inward),
  ROW_NUMBER ("mbps", shape_t, mbps, BETWEEN (1, SHAPE_MBPS_MAX)),
  ROW_TIME ("until_ms", shape_t, until_ms),
  ROW_LIST ("from", shape_t, from, from_count, prefix, 1, SHAPE_PREFIXES_MAX),
  ROW_LIST ("to", shape_t, to, to_count, prefix, 1, SHAPE_PREFIXES_MAX),
  ROW_NUMBER ("dscp", shape_t, dscp, MOST (DSCP_MAX)),
  ROW_NUMBER ("port", shape_t, port, MOST (PORT_MAX)),
};
const codec_t shape_codec = CODEC (shape_t, shape, shape_rows);

static const codec_row_t router_interface_rows [] = {
  ROW_WORD ("name", router_interface_t, name),
  ROW_NUMBER ("mbps", router_interface_t, mbps),
  ROW_TEXT ("trouble", router_interface_t, trouble, OR_NONE),
  ROW_WORD ("queue", router_interface_t, queue, OR_NONE),
};
static const codec_t router_interface_codec =
  CODEC (router_interface_t, router_interface, router_interface_rows);

static const codec_row_t router_work_rows [] = {
  ROW_LIST ("interfaces", router_work_t, interfaces, interfaces_count, router_interface, 0,
            ROUTER_INTERFACES_MAX),
  ROW_LIST ("shapes", router_work_t, shapes, shapes_count, shape, 0, SHAPES_MAX),
};
const codec_t router_work_codec = CODEC (router_work_t, router_work, router_work_rows);

static const codec_row_t router_question_rows [] = {
  ROW_WORD ("router", router_question_t, router),
  ROW_FIXED ("store", router_question_t, said.store),
  ROW_NUMBER ("start", router_question_t, said.start, LEAST (1)),
  ROW_NUMBER ("number", router_question_t, said.number, LEAST (1)),
  ROW_NUMBER ("seen", router_question_t, said.seen),
  ROW_LIST ("interfaces", router_question_t, seen.interfaces, seen.interfaces_count,
            router_interface, 0, ROUTER_INTERFACES_MAX),
  ROW_LIST ("shapes", router_question_t, seen.shapes, seen.shapes_count, shape, 0, SHAPES_MAX),
};
const codec_t router_question_codec =
  CODEC (router_question_t, router_question, router_question_rows);

static const codec_row_t router_answer_rows [] = {
  ROW_NUMBER ("number", router_answer_t, number),
  ROW_NUMBER ("attend_ms", router_answer_t, attend_ms, LEAST (1)),
  ROW_LIST ("interfaces", router_answer_t, wanted.interfaces, wanted.interfaces_count,
            router_interface, 0, ROUTER_INTERFACES_MAX),
  ROW_LIST ("shapes", router_answer_t, wanted.shapes, wanted.shapes_count, shape, 0, SHAPES_MAX),
  ROW_NUMBER ("lease_ms", router_answer_t, lease_ms, LEAST (1)),
};
const codec_t router_answer_codec = CODEC (router_answer_t, router_answer, router_answer_rows);
