/*  program_form - refusals with a path, a field and a sentence, without control characters; lists
 *  of numbers, each entry with so many of them. */
#include "program_form.h"

#include "json_fields.h"
#include "must.h"

#include <math.h>

bool problem_refuse (const problem_reader_t *reader, const char *format, ...)
{
    int size =
      snprintf (reader->why, LONG_WHY_BYTES, "%s%s", reader->path, *reader->path ? "." : "");
    format_rest (reader->why + size, LONG_WHY_BYTES - (size_t) size, format);
    for (char *at = reader->why; *at; at++)
        if ((unsigned char) *at < 0x20 || *at == 0x7f)
            *at = '?';
    return false;
}

bool problem_keys (const problem_reader_t *reader, const json_t *object, const char *known)
{
    const char *key = key_unknown (object, known);
    return !key || problem_refuse (reader, "%.60s: unknown key; there are: %s", key, known);
}

const json_t *problem_list (const problem_reader_t *reader, const json_t *file, const char *key,
                            const char *known, const char *id)
{
    json_auto_t *seen = made (json_object ());
    const json_t *entry, *list = json_object_get (file, key);
    bool good =
      (json_is_array (list) ||
       problem_refuse (reader, "%s: must be a list; the file is {\"%s\": [...]}", key, key)) &&
      problem_keys (reader, file, known);
    for (size_t i = 0; good && (entry = json_array_get (list, i)); i++) {
        const char *name = text_of (entry, id);
        good = !*name || !json_object_get (seen, name) ||
               problem_refuse (reader, "%s[%zu].%s: \"%.60s\" is used twice", key, i, id, name);
        take (seen, name, json_true ());
    }
    return good ? list : NULL;
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

/*  An index as it may stand: what is too large or negative becomes one that program_check refuses.
 */
static uint32_t index_of (int64_t number)
{
    return number < 0 || number > UINT32_MAX ? UINT32_MAX : (uint32_t) number;
}

static void put_node (void *node, const int64_t *from)
{
    *(program_node_t *) node = (program_node_t){.cpus = from [0], .unit_cost = from [1]};
}

static void put_edge (void *edge, const int64_t *from)
{
    *(program_edge_t *) edge = (program_edge_t){.ends = {index_of (from [0]), index_of (from [1])},
                                                .bandwidth = from [2],
                                                .unit_cost = from [3]};
}

static void put_cpus (void *cpus, const int64_t *from)
{
    *(int64_t *) cpus = from [0];
}

static void put_link (void *link, const int64_t *from)
{
    *(program_link_t *) link =
      (program_link_t){.ends = {index_of (from [0]), index_of (from [1])}, .bandwidth = from [2]};
}

#define NUMBERS_MAX 4

/*  A list of the file, of which each entry is a list of numbers. */
typedef struct {
    const char *key;
    size_t most;
    bool named;     /* a text stands before the numbers */
    size_t numbers; /* of an entry; 0 = it is a number itself */
    size_t size;    /* of an element of the program */
    void (*put) (void *element, const int64_t *numbers);
    const char *wanted;
} program_form_list_t;

static const program_form_list_t nodes = {"nodes",
                                          PROGRAM_NODES_MAX,
                                          true,
                                          2,
                                          sizeof (program_node_t),
                                          put_node,
                                          "[name, CPUs free, unit cost], in whole numbers"};
static const program_form_list_t edges = {
  "edges",
  PROGRAM_EDGES_MAX,
  false,
  4,
  sizeof (program_edge_t),
  put_edge,
  "[node, node, bandwidth free, unit cost], in whole numbers"};
static const program_form_list_t cpus = {
  "cpu", PROGRAM_SITES_MAX, false, 0, sizeof (int64_t), put_cpus, "a whole number of CPUs"};
static const program_form_list_t links = {"links",
                                          PROGRAM_LINKS_MAX,
                                          false,
                                          3,
                                          sizeof (program_link_t),
                                          put_link,
                                          "[from, to, bandwidth], in whole numbers"};

static bool read_numbers (const program_form_list_t *list, const json_t *entry,
                          int64_t numbers [NUMBERS_MAX])
{
    if (list->numbers == 0)
        return read_whole (entry, numbers);
    bool good = json_array_size (entry) == list->named + list->numbers &&
                (!list->named || json_is_string (json_array_get (entry, 0)));
    for (size_t i = 0; i < list->numbers && good; i++)
        good = read_whole (json_array_get (entry, list->named + i), &numbers [i]);
    return good;
}

/*  The elements, malloc'ed, which the caller frees on false, too. */
static bool program_form_read_list (const problem_reader_t *reader, const json_t *from,
                                    const program_form_list_t *list, void *elements_p,
                                    size_t *count)
{
    const json_t *entries = json_object_get (from, list->key);
    if (!json_is_array (entries))
        return problem_refuse (reader, "%s: must be a list", list->key);
    *count = json_array_size (entries);
    if (*count > list->most)
        return problem_refuse (reader, "%s: at most %zu of them", list->key, list->most);
    char *elements = *(void **) elements_p = must (calloc (*count + 1, list->size));
    json_auto_t *seen = made (json_object ());
    for (size_t i = 0; i < *count; i++) {
        int64_t numbers [NUMBERS_MAX];
        const json_t *entry = json_array_get (entries, i);
        if (!read_numbers (list, entry, numbers))
            return problem_refuse (reader, "%s[%zu]: must be %s", list->key, i, list->wanted);
        const char *name = list->named ? json_string_value (json_array_get (entry, 0)) : "";
        if (json_object_get (seen, name))
            return problem_refuse (reader, "%s[%zu][0]: \"%.60s\" is used twice", list->key, i,
                                   name);
        if (*name)
            take (seen, name, json_true ());
        list->put (elements + i * list->size, numbers);
    }
    return true;
}

static bool read_instance (problem_reader_t *reader, const json_t *entry, instance_t *instance)
{
    program_t *program = &instance->program;
    if (!problem_keys (reader, entry, "id, nodes, edges, request, expected"))
        return false;
    instance->id = json_string_value (json_object_get (entry, "id"));
    if (!instance->id)
        return problem_refuse (reader, "id: must be a text");
    const json_t *request = json_object_get (entry, "request");
    if (!json_is_object (request))
        return problem_refuse (reader, "request: must be an object with cpu and links");
    if (!program_form_read_list (reader, entry, &nodes, &program->nodes, &program->nodes_count) ||
        !program_form_read_list (reader, entry, &edges, &program->edges, &program->edges_count))
        return false;
    problem_reader_t within = *reader;
    snprintf (within.path, sizeof within.path, "%.80s.request", reader->path);
    if (!problem_keys (&within, request, "cpu, links, type") ||
        !program_form_read_list (&within, request, &cpus, &program->cpus, &program->sites_count) ||
        !program_form_read_list (&within, request, &links, &program->links, &program->links_count))
        return false;
    char why [WHY_BYTES];
    return program_check (program, why) || problem_refuse (reader, "%s", why);
}

instance_t *program_form_read (const json_t *file, program_reading_t reading, uint32_t hops_max,
                               size_t *count, char why [LONG_WHY_BYTES])
{
    problem_reader_t reader = {.why = why};
    const json_t *list = problem_list (&reader, file, "instances", "instances", "id");
    if (!list)
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
