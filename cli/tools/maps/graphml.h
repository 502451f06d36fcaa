/*  graphml - a map of a real network, as the Internet Topology Zoo keeps them: points of presence
 *  with coordinates, and the links between them with a word about their speed.
 *
 *  Read are the nodes and edges of the one graph, and of their data the label, Latitude and
 *  Longitude of nodes, LinkLabel, LinkSpeed, LinkSpeedUnits, LinkSpeedRaw and LinkType of edges,
 *  and Network or label of the graph; a key holds for what it is declared for, and has its default
 *  where there is no value. The text comes from anywhere: its size, depth and counts are
 *  bounded, and a document type, with which entities could be declared, is refused. Pure.
 */
#ifndef MUSUBI_GRAPHML_H
#define MUSUBI_GRAPHML_H

#include "bytes.h"

#define GRAPHML_BYTES_MAX  (16u << 20)
#define GRAPHML_DEPTH_MAX  16
#define GRAPHML_NODES_MAX  4096
#define GRAPHML_EDGES_MAX  8192
#define GRAPHML_TEXT_BYTES 128 /* kept of a text, with the NUL */
typedef struct {
    char id [GRAPHML_TEXT_BYTES];
    char label [GRAPHML_TEXT_BYTES]; /* "" = none */
    bool located;
    double latitude; /* degrees */
    double longitude;
} map_node_t;

typedef struct {
    size_t ends [2];
    uint32_t mbps;                  /* 0 = not given */
    char type [GRAPHML_TEXT_BYTES]; /* "Fibre"; "" = not given */
} map_edge_t;

typedef struct {
    char name [GRAPHML_TEXT_BYTES]; /* "" = none */
    map_node_t *nodes;              /* in file order */
    size_t nodes_count;
    map_edge_t *edges; /* in file order; parallel ones are kept */
    size_t edges_count;
    size_t loops;    /* edges from a node to itself, which are left out */
    size_t directed; /* edges with one direction only; ours have both */
} map_t;

/*  False with why = "LINE: what is wrong". The caller owns the map: map_clear. */
bool graphml_read (map_t *map, const char *text, size_t size, char why [WHY_BYTES]);
void map_clear (map_t *map);

/*  Mbit/s from words such as "10 Gbps", "155 Mbit/s", "1-20Gbps" (a range: its lower end): the
 *  first word that is a number with a unit. 0 when there is none, or when what stands there could
 *  be more than one number: "1 500 M". */
uint32_t graphml_rate (const char *words);

/*  Kilometres between two points of the Earth, as the crow flies. */
double map_distance_km (const map_node_t *a, const map_node_t *b);

#endif
