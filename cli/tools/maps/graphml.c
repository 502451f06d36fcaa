/*  graphml - expat's events into a map; ends of edges are looked up when all nodes are known. */
#include "graphml.h"

#include "codec.h"
#include "must.h"
#include "ordered.h"

#include <assert.h>
#include <ctype.h>
#include <expat.h>
#include <math.h>

#define KEYS_MAX 256
#define MBPS_MAX 1e9
#define EARTH_KM 6371.0
#define DEGREE   (3.14159265358979323846 / 180)
#define TEXT     GRAPHML_TEXT_BYTES

#define GRAPHML_BETWEEN " \t\r\n()<>=~:;," /* words of a rate */

typedef enum { NOWHERE, IN_GRAPH, IN_NODE, IN_EDGE } graphml_place_t;

/*  What a <key> stands for. */
typedef enum {
    FIELD_NONE,
    FIELD_NETWORK,
    FIELD_LABEL,
    FIELD_LATITUDE,
    FIELD_LONGITUDE,
    FIELD_LINK_LABEL,
    FIELD_SPEED,
    FIELD_UNITS,
    FIELD_RAW,
    FIELD_TYPE,
    FIELDS
} graphml_field_t;

static const char *const field_names [FIELDS] = {
  [FIELD_NONE] = "",
  [FIELD_NETWORK] = "Network",
  [FIELD_LABEL] = "label",
  [FIELD_LATITUDE] = "Latitude",
  [FIELD_LONGITUDE] = "Longitude",
  [FIELD_LINK_LABEL] = "LinkLabel",
  [FIELD_SPEED] = "LinkSpeed",
  [FIELD_UNITS] = "LinkSpeedUnits",
  [FIELD_RAW] = "LinkSpeedRaw",
  [FIELD_TYPE] = "LinkType",
};

/*  place: of what; NOWHERE = of everything. */
typedef struct {
    char id [TEXT];
    graphml_field_t field;
    graphml_place_t place;
    char preset [TEXT]; /* of what has no value of its own */
} known_key_t;

/*  An edge's ends as the file names them. */
typedef struct {
    char id [TEXT]; /* "" = none */
    char ends [2][TEXT];
    unsigned long line;
} graphml_ends_t;

typedef struct {
    XML_Parser parser;
    map_t *map;
    char *why;
    bool failed;
    unsigned depth;
    bool graph_seen;
    graphml_place_t place;
    known_key_t keys [KEYS_MAX];
    size_t keys_count;
    graphml_ends_t *ends; /* one each of map->edges */
    size_t nodes_room;
    size_t edges_room;
    size_t ends_room;
    bool in_data;
    known_key_t *key; /* that is open; NULL = none of ours */
    bool directed;    /* edges that do not say */
    graphml_field_t field;
    char data [TEXT];
    size_t data_size;
    char values [FIELDS][TEXT]; /* of the node or edge that is open */
} graphml_reading_t;

/*  --- rates --- */

/*  Mbit/s in one of this unit; 0 when it is none: "G", "Gbps", "Gbit/s", "Gb". */
static double unit_mbps (const char *unit)
{
    static const char letters [] = "kmgt";
    static const double factors [] = {1e-3, 1, 1e3, 1e6};
    const char *letter = strchr (letters, tolower ((unsigned char) *unit));
    if (!letter || !*letter)
        return 0;
    /* "G" alone, or before a word of bits; "Lit Gate" is neither */
    char next = (char) tolower ((unsigned char) unit [1]);
    return next == 'b' || !isalpha ((unsigned char) next) ? factors [letter - letters] : 0;
}

static uint32_t rate_of (double mbps)
{
    if (!isfinite (mbps) || mbps <= 0)
        return 0;
    if (mbps < 1)
        return 1;
    return mbps < MBPS_MAX ? (uint32_t) llround (mbps) : (uint32_t) MBPS_MAX;
}

static const char *after_blanks (const char *at)
{
    return at + strspn (at, " \t");
}

/*  Only digits and one point: no sign, exponent, nor any word that strtod would take. */
static bool graphml_take_number (const char **at, double *number)
{
    size_t size = strspn (*at, "0123456789.");
    char digits [2 * TEXT], *end;
    if (size == 0 || size >= sizeof digits || !isdigit ((unsigned char) **at))
        return false;
    memcpy (digits, *at, size);
    digits [size] = '\0';
    *number = strtod (digits, &end);
    *at += size;
    return *end == '\0';
}

/*  Of what begins a word; 0 when it is no rate. */
static double rate_word (const char *at)
{
    double number, upper;
    if (!graphml_take_number (&at, &number))
        return 0;
    const char *unit = after_blanks (at);
    double own = unit_mbps (unit); /* "100M-1G" */
    if (own > 0)
        return number * own;
    if (*unit != '-')
        return 0;
    const char *range = after_blanks (unit + 1);
    if (!graphml_take_number (&range, &upper))
        return 0;
    return number * unit_mbps (after_blanks (range)); /* "1-20G" */
}

/*  Words with a number in them that is no rate hide those behind: "1 500 M" is not 500. */
uint32_t graphml_rate (const char *words)
{
    const char *at = words + strspn (words, GRAPHML_BETWEEN);
    for (bool number = false; *at; at += strspn (at, GRAPHML_BETWEEN)) {
        double mbps = number ? 0 : rate_word (at);
        if (mbps > 0)
            return rate_of (mbps);
        number = isdigit ((unsigned char) *at);
        at += strcspn (at, GRAPHML_BETWEEN);
    }
    return 0;
}

/*  The plain number when it is there, else speed and units, else what the label says. */
static uint32_t rate_told (char values [FIELDS][TEXT])
{
    char *end;
    double raw = strtod (values [FIELD_RAW], &end);
    bool whole = !*after_blanks (end) && !strpbrk (values [FIELD_RAW], "xX");
    if (whole && rate_of (raw / 1e6) > 0)
        return rate_of (raw / 1e6);
    char together [2 * TEXT + 2];
    snprintf (together, sizeof together, "%s %s", values [FIELD_SPEED], values [FIELD_UNITS]);
    uint32_t mbps = graphml_rate (together);
    return mbps > 0 ? mbps : graphml_rate (values [FIELD_LINK_LABEL]);
}

double map_distance_km (const map_node_t *a, const map_node_t *b)
{
    double down = sin ((b->latitude - a->latitude) * DEGREE / 2);
    double across = sin ((b->longitude - a->longitude) * DEGREE / 2);
    double square =
      down * down + cos (a->latitude * DEGREE) * cos (b->latitude * DEGREE) * across * across;
    return 2 * EARTH_KM * asin (sqrt (square < 1 ? square : 1));
}

/*  --- the document --- */

__attribute__ ((format (printf, 2, 3))) static void refuse (graphml_reading_t *self,
                                                            const char *format, ...)
{
    if (self->failed)
        return;
    self->failed = true;
    int used = snprintf (self->why, WHY_BYTES,
                         "%lu: ", (unsigned long) XML_GetCurrentLineNumber (self->parser));
    format_rest (self->why + used, WHY_BYTES - (size_t) used, format);
    XML_StopParser (self->parser, XML_FALSE);
}

/*  Without the prefix of a name space. */
static bool graphml_is (const char *name, const char *wanted)
{
    const char *colon = strrchr (name, ':');
    return strcmp (colon ? colon + 1 : name, wanted) == 0;
}

/*  "" when it is not given. */
static const char *attribute (const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp (attributes [0], name) == 0)
            return attributes [1];
    return "";
}

/*  False when it is too long or missing: ids must not be cut. */
static bool take_id (graphml_reading_t *self, char to [TEXT], const char *from)
{
    if (!*from || strlen (from) >= TEXT) {
        refuse (self, *from ? "an id is too long" : "an id is missing");
        return false;
    }
    memcpy (to, from, strlen (from) + 1);
    return true;
}

static graphml_place_t place_of (const char *word)
{
    return strcmp (word, "graph") == 0  ? IN_GRAPH
           : strcmp (word, "node") == 0 ? IN_NODE
           : strcmp (word, "edge") == 0 ? IN_EDGE
                                        : NOWHERE;
}

static void begin_key (graphml_reading_t *self, const char **attributes)
{
    const char *name = attribute (attributes, "attr.name");
    graphml_field_t field = FIELD_NONE;
    for (int i = FIELD_NONE + 1; i < FIELDS; i++)
        if (strcmp (name, field_names [i]) == 0)
            field = (graphml_field_t) i;
    if (field == FIELD_NONE)
        return;
    if (self->keys_count == KEYS_MAX) {
        refuse (self, "too many keys");
        return;
    }
    known_key_t *key = &self->keys [self->keys_count];
    *key = (known_key_t){.field = field, .place = place_of (attribute (attributes, "for"))};
    if (!take_id (self, key->id, attribute (attributes, "id")))
        return;
    for (size_t i = 0; i < self->keys_count; i++)
        if (strcmp (self->keys [i].id, key->id) == 0)
            refuse (self, "two keys have the id \"%.100s\"", key->id);
    self->keys_count++;
    self->key = key;
}

/*  What it has where it says nothing. */
static void begin_values (graphml_reading_t *self)
{
    memset (self->values, 0, sizeof self->values);
    for (size_t i = 0; i < self->keys_count; i++)
        if (self->keys [i].place == self->place || self->keys [i].place == NOWHERE)
            memcpy (self->values [self->keys [i].field], self->keys [i].preset, TEXT);
}

static void begin_graph (graphml_reading_t *self, const char **attributes)
{
    if (self->graph_seen) {
        refuse (self, "more than one graph, or a graph within another");
        return;
    }
    self->graph_seen = true;
    self->directed = strcmp (attribute (attributes, "edgedefault"), "directed") == 0;
    self->place = IN_GRAPH;
}

static void begin_node (graphml_reading_t *self, const char **attributes)
{
    map_t *map = self->map;
    if (map->nodes_count == GRAPHML_NODES_MAX) {
        refuse (self, "more than %d nodes", GRAPHML_NODES_MAX);
        return;
    }
    map->nodes = must_grow (map->nodes, map->nodes_count, &self->nodes_room, sizeof *map->nodes);
    map_node_t *node = &map->nodes [map->nodes_count];
    *node = (map_node_t){.id = ""};
    if (take_id (self, node->id, attribute (attributes, "id")))
        map->nodes_count++;
    self->place = IN_NODE;
}

static void begin_edge (graphml_reading_t *self, const char **attributes)
{
    map_t *map = self->map;
    if (map->edges_count == GRAPHML_EDGES_MAX) {
        refuse (self, "more than %d edges", GRAPHML_EDGES_MAX);
        return;
    }
    map->edges = must_grow (map->edges, map->edges_count, &self->edges_room, sizeof *map->edges);
    self->ends = must_grow (self->ends, map->edges_count, &self->ends_room, sizeof *self->ends);
    graphml_ends_t *ends = &self->ends [map->edges_count];
    map->edges [map->edges_count] = (map_edge_t){.mbps = 0};
    const char *directed = attribute (attributes, "directed");
    map->directed += *directed ? strcmp (directed, "true") == 0 : self->directed;
    ends->line = (unsigned long) XML_GetCurrentLineNumber (self->parser);
    const char *id = attribute (attributes, "id");
    *ends->id = '\0';
    if ((!*id || take_id (self, ends->id, id)) &&
        take_id (self, ends->ends [0], attribute (attributes, "source")) &&
        take_id (self, ends->ends [1], attribute (attributes, "target")))
        map->edges_count++;
    self->place = IN_EDGE;
}

static void begin_data (graphml_reading_t *self, const char **attributes)
{
    const char *id = attribute (attributes, "key");
    self->field = FIELD_NONE;
    for (size_t i = 0; i < self->keys_count; i++)
        if (strcmp (self->keys [i].id, id) == 0 &&
            (self->keys [i].place == NOWHERE || self->keys [i].place == self->place))
            self->field = self->keys [i].field;
    self->in_data = true;
    self->data_size = 0;
}

static void graphml_on_begin (void *owner, const char *name, const char **attributes)
{
    graphml_reading_t *self = owner;
    if (++self->depth > GRAPHML_DEPTH_MAX)
        refuse (self, "nested too deeply");
    else if (self->depth == 1 && !graphml_is (name, "graphml"))
        refuse (self, "not GraphML: the outermost element must be graphml");
    else if (graphml_is (name, "key") && self->place == NOWHERE)
        begin_key (self, attributes);
    else if (graphml_is (name, "graph"))
        begin_graph (self, attributes);
    else if (graphml_is (name, "node") || graphml_is (name, "edge")) {
        if (self->place != IN_GRAPH)
            refuse (self, "a node or an edge must stand directly in its graph");
        else if (graphml_is (name, "node"))
            begin_node (self, attributes);
        else
            begin_edge (self, attributes);
        begin_values (self);
    } else if (graphml_is (name, "data") || graphml_is (name, "default"))
        begin_data (self, attributes);
}

static void on_text (void *owner, const char *text, int size)
{
    graphml_reading_t *self = owner;
    if (!self->in_data)
        return;
    for (int i = 0; i < size && self->data_size < TEXT - 1; i++)
        self->data [self->data_size++] = text [i];
}

static bool take_degrees (const char *text, double most, double *degrees)
{
    char *end;
    *degrees = strtod (text, &end);
    return end != text && isfinite (*degrees) && fabs (*degrees) <= most;
}

static void end_node (graphml_reading_t *self)
{
    if (self->failed)
        return;
    map_node_t *node = &self->map->nodes [self->map->nodes_count - 1];
    memcpy (node->label, self->values [FIELD_LABEL], TEXT);
    node->located = take_degrees (self->values [FIELD_LATITUDE], 90, &node->latitude) &&
                    take_degrees (self->values [FIELD_LONGITUDE], 180, &node->longitude);
    self->place = IN_GRAPH;
}

static void end_edge (graphml_reading_t *self)
{
    if (self->failed)
        return;
    map_edge_t *edge = &self->map->edges [self->map->edges_count - 1];
    edge->mbps = rate_told (self->values);
    memcpy (edge->type, self->values [FIELD_TYPE], TEXT);
    self->place = IN_GRAPH;
}

/*  A cut text may end within a character. */
static void end_data (graphml_reading_t *self)
{
    self->in_data = false;
    self->data [self->data_size] = '\0';
    bool network = self->field == FIELD_NETWORK || self->field == FIELD_LABEL;
    if (self->place == NOWHERE && self->key)
        memcpy (self->key->preset, self->data, TEXT);
    else if (self->place == IN_GRAPH && network) {
        if (self->field == FIELD_NETWORK || !*self->map->name)
            memcpy (self->map->name, self->data, TEXT);
    } else if (self->place == IN_NODE || self->place == IN_EDGE)
        memcpy (self->values [self->field], self->data, TEXT);
}

static void on_end (void *owner, const char *name)
{
    graphml_reading_t *self = owner;
    self->depth--;
    if (graphml_is (name, "data") || graphml_is (name, "default"))
        end_data (self);
    else if (graphml_is (name, "key"))
        self->key = NULL;
    else if (graphml_is (name, "node"))
        end_node (self);
    else if (graphml_is (name, "edge"))
        end_edge (self);
}

/*  Entities can only be declared in one; nobody's map needs it. */
static void on_doctype (void *owner, const char *name, const char *system, const char *public,
                        int internal)
{
    (void) name;
    (void) system;
    (void) public;
    (void) internal;
    refuse (owner, "a document type (<!DOCTYPE …>) is not accepted");
}

/*  --- ends --- */

static bool graphml_alone (graphml_reading_t *self, ordered_t *things, const char *id, void *thing,
                           unsigned long line, const char *what)
{
    if (ordered_find (things, id))
        return wrong (self->why, "%lu: two %s have the id \"%.100s\"", line, what, id);
    ordered_add (things, id, thing);
    return true;
}

static bool ends_find (graphml_reading_t *self, const ordered_t *nodes, ordered_t *edges)
{
    map_t *map = self->map;
    size_t kept = 0;
    for (size_t i = 0; i < map->edges_count; i++) {
        graphml_ends_t *ends = &self->ends [i];
        if (*ends->id && !graphml_alone (self, edges, ends->id, ends, ends->line, "edges"))
            return false;
        map_edge_t *edge = &map->edges [kept];
        *edge = map->edges [i];
        for (int end = 0; end < 2; end++) {
            const char *id = ends->ends [end];
            const map_node_t *found = ordered_find (nodes, id);
            if (!found)
                return wrong (self->why,
                              "%lu: an edge ends at node \"%.100s\", which is not in the map",
                              ends->line, id);
            edge->ends [end] = (size_t) (found - map->nodes);
        }
        if (edge->ends [0] == edge->ends [1])
            map->loops++;
        else
            kept++;
    }
    map->edges_count = kept;
    return true;
}

static bool graphml_finish (graphml_reading_t *self)
{
    map_t *map = self->map;
    ordered_t *nodes = ordered_by_text (offsetof (map_node_t, id));
    ordered_t *edges = ordered_by_text (offsetof (graphml_ends_t, id));
    bool good = map->nodes_count > 0;
    if (!good)
        snprintf (self->why, WHY_BYTES, "1: the map has no nodes");
    for (size_t i = 0; i < map->nodes_count && good; i++)
        good = graphml_alone (self, nodes, map->nodes [i].id, &map->nodes [i], 1, "nodes");
    good = good && ends_find (self, nodes, edges);
    ordered_destroy (&nodes);
    ordered_destroy (&edges);
    return good;
}

bool graphml_read (map_t *map, const char *text, size_t size, char why [WHY_BYTES])
{
    assert (map && text && why);
    *map = (map_t){.name = ""};
    if (size > GRAPHML_BYTES_MAX)
        return wrong (why, "1: more than %u bytes", GRAPHML_BYTES_MAX);
    graphml_reading_t *self = must (calloc (1, sizeof *self));
    self->map = map;
    self->why = why;
    self->parser = must (XML_ParserCreate (NULL));
    XML_SetUserData (self->parser, self);
    XML_SetElementHandler (self->parser, graphml_on_begin, on_end);
    XML_SetCharacterDataHandler (self->parser, on_text);
    XML_SetStartDoctypeDeclHandler (self->parser, on_doctype);
    bool good = XML_Parse (self->parser, text, (int) size, 1) == XML_STATUS_OK && !self->failed;
    if (!good && !self->failed)
        snprintf (why, WHY_BYTES, "%lu: not XML: %s",
                  (unsigned long) XML_GetCurrentLineNumber (self->parser),
                  XML_ErrorString (XML_GetErrorCode (self->parser)));
    good = good && graphml_finish (self);
    XML_ParserFree (self->parser);
    free (self->ends);
    free (self);
    if (!good)
        map_clear (map);
    return good;
}

void map_clear (map_t *map)
{
    free (map->nodes);
    free (map->edges);
    *map = (map_t){.name = ""};
}
