/*  program_form - lists of numbers, each entry with so many of them. */
#include "program_form.h"

#include "fields.h"
#include "must.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char path [96]; /* of what is being read */
    char *why;
} reader_t;

static bool refuse (const reader_t *reader, const char *key, const char *sentence)
{
    snprintf (reader->why, PROGRAM_FORM_WHY_BYTES, "%s%s%.60s: %s", reader->path,
              *reader->path ? "." : "", key, sentence);
    for (char *at = reader->why; *at; at++)
        if ((unsigned char) *at < 0x20 || *at == 0x7f)
            *at = '?';
    return false;
}

static bool refuse_entry (const reader_t *reader, const char *key, size_t index,
                          const char *sentence)
{
    char name [80];
    snprintf (name, sizeof name, "%s[%zu]", key, index);
    return refuse (reader, name, sentence);
}

static bool keys_known (const reader_t *reader, const json_t *object, const char *known,
                        const char *sentence)
{
    const char *key = key_unknown (object, known);
    return !key || refuse (reader, key, sentence);
}

/*  Whole numbers only, also written as 5.0. */
static bool read_whole (const json_t *json, int64_t *number)
{
    if (json_is_integer (json)) {
        *number = json_integer_value (json);
        return true;
    }
    double real = json_is_real (json) ? json_real_value (json) : NAN;
    if (!(fabs (real) < 1e15) || real != floor (real))
        return false;
    *number = (int64_t) real;
    return true;
}

/*  The last `count` values of an entry that has `before` others before them. */
static bool read_numbers (const json_t *entry, size_t before, int64_t *numbers, size_t count)
{
    if (!json_is_array (entry) || json_array_size (entry) != before + count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!read_whole (json_array_get (entry, before + i), &numbers [i]))
            return false;
    return true;
}

static bool read_list (const reader_t *reader, const json_t *object, const char *key,
                       const json_t **list, size_t most)
{
    *list = json_object_get (object, key);
    if (!json_is_array (*list))
        return refuse (reader, key, "must be a list");
    if (json_array_size (*list) <= most)
        return true;
    char sentence [64];
    snprintf (sentence, sizeof sentence, "at most %zu of them", most);
    return refuse (reader, key, sentence);
}

/*  An index as it may stand: what is too large or negative becomes one that program_check refuses.
 */
static uint32_t index_of (int64_t number)
{
    return number < 0 || number > UINT32_MAX ? UINT32_MAX : (uint32_t) number;
}

static bool read_nodes (const reader_t *reader, const json_t *from, program_t *program)
{
    const json_t *list;
    if (!read_list (reader, from, "nodes", &list, PROGRAM_NODES_MAX))
        return false;
    program_node_t *nodes = must (calloc (json_array_size (list) + 1, sizeof *nodes));
    program->nodes = nodes;
    const json_t *entry;
    for (size_t i = 0; (entry = json_array_get (list, i)); i++) {
        int64_t numbers [2];
        if (!read_numbers (entry, 1, numbers, 2) || !json_is_string (json_array_get (entry, 0)))
            return refuse_entry (reader, "nodes", i,
                                 "must be [name, CPUs free, unit cost], in whole numbers");
        nodes [i] = (program_node_t){.cpus = numbers [0], .unit_cost = numbers [1]};
    }
    program->nodes_count = json_array_size (list);
    return true;
}

static bool read_edges (const reader_t *reader, const json_t *from, program_t *program)
{
    const json_t *list;
    if (!read_list (reader, from, "edges", &list, PROGRAM_EDGES_MAX))
        return false;
    program_edge_t *edges = must (calloc (json_array_size (list) + 1, sizeof *edges));
    program->edges = edges;
    const json_t *entry;
    for (size_t i = 0; (entry = json_array_get (list, i)); i++) {
        int64_t numbers [4];
        if (!read_numbers (entry, 0, numbers, 4))
            return refuse_entry (reader, "edges", i,
                                 "must be [node, node, bandwidth free, unit cost], in whole "
                                 "numbers");
        edges [i] = (program_edge_t){
          .ends = {index_of (numbers [0]), index_of (numbers [1])},
          .bandwidth = numbers [2],
          .unit_cost = numbers [3],
        };
    }
    program->edges_count = json_array_size (list);
    return true;
}

static bool read_cpus (const reader_t *reader, const json_t *from, program_t *program)
{
    const json_t *list;
    if (!read_list (reader, from, "cpu", &list, PROGRAM_SITES_MAX))
        return false;
    int64_t *cpus = must (calloc (json_array_size (list) + 1, sizeof *cpus));
    program->cpus = cpus;
    const json_t *entry;
    for (size_t i = 0; (entry = json_array_get (list, i)); i++)
        if (!read_whole (entry, &cpus [i]))
            return refuse_entry (reader, "cpu", i, "must be a whole number of CPUs");
    program->sites_count = json_array_size (list);
    return true;
}

static bool read_links (const reader_t *reader, const json_t *from, program_t *program)
{
    const json_t *list;
    if (!read_list (reader, from, "links", &list, PROGRAM_LINKS_MAX))
        return false;
    program_link_t *links = must (calloc (json_array_size (list) + 1, sizeof *links));
    program->links = links;
    const json_t *entry;
    for (size_t i = 0; (entry = json_array_get (list, i)); i++) {
        int64_t numbers [3];
        if (!read_numbers (entry, 0, numbers, 3))
            return refuse_entry (reader, "links", i,
                                 "must be [from, to, bandwidth], in whole numbers");
        links [i] = (program_link_t){
          .ends = {index_of (numbers [0]), index_of (numbers [1])},
          .bandwidth = numbers [2],
        };
    }
    program->links_count = json_array_size (list);
    return true;
}

static bool read_request (const reader_t *reader, const json_t *request, program_t *program)
{
    return keys_known (reader, request, "cpu links type",
                       "unknown key; there are: cpu, links, type") &&
           read_cpus (reader, request, program) && read_links (reader, request, program);
}

static bool read_instance (reader_t *reader, const json_t *entry, instance_t *instance)
{
    if (!keys_known (reader, entry, "id nodes edges request expected",
                     "unknown key; there are: id, nodes, edges, request, expected"))
        return false;
    instance->id = json_string_value (json_object_get (entry, "id"));
    if (!instance->id)
        return refuse (reader, "id", "must be a text");
    const json_t *request = json_object_get (entry, "request");
    if (!json_is_object (request))
        return refuse (reader, "request", "must be an object with cpu and links");
    if (!read_nodes (reader, entry, &instance->program) ||
        !read_edges (reader, entry, &instance->program))
        return false;
    reader_t within = *reader;
    snprintf (within.path, sizeof within.path, "%.80s.request", reader->path);
    if (!read_request (&within, request, &instance->program))
        return false;
    char why [PROGRAM_WHY_BYTES];
    if (program_check (&instance->program, why))
        return true;
    snprintf (reader->why, PROGRAM_FORM_WHY_BYTES, "%s.%s", reader->path, why);
    return false;
}

instance_t *program_form_read (const json_t *file, program_reading_t reading, uint32_t hops_max,
                               size_t *count, char why [PROGRAM_FORM_WHY_BYTES])
{
    reader_t reader = {.why = why};
    const json_t *list = json_object_get (file, "instances");
    if (!json_is_array (list)) {
        refuse (&reader, "instances", "must be a list; the file is {\"instances\": [...]}");
        return NULL;
    }
    if (!keys_known (&reader, file, "instances", "unknown key; there is: instances"))
        return NULL;
    *count = json_array_size (list);
    instance_t *instances = must (calloc (*count + 1, sizeof *instances));
    const json_t *entry;
    for (size_t i = 0; (entry = json_array_get (list, i)); i++) {
        snprintf (reader.path, sizeof reader.path, "instances[%zu]", i);
        instances [i].program.reading = reading;
        instances [i].program.hops_max = hops_max;
        if (!read_instance (&reader, entry, &instances [i])) {
            program_form_free (instances, *count);
            return NULL;
        }
    }
    return instances;
}

void program_form_free (instance_t *instances, size_t count)
{
    for (size_t i = 0; i < count && instances; i++) {
        free ((void *) instances [i].program.nodes);
        free ((void *) instances [i].program.edges);
        free ((void *) instances [i].program.cpus);
        free ((void *) instances [i].program.links);
    }
    free (instances);
}
