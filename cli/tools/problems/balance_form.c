/*  balance_form - lists of as many entries as there are clusters, checked one by one. */
#include "balance_form.h"

#include "must.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*  A list with an entry for each cluster; they are counted by the first one. */
static bool balance_form_read_list (const problem_reader_t *reader, const json_t *object,
                                    const char *key, const json_t **list, size_t count)
{
    *list = json_object_get (object, key);
    if (!json_is_array (*list))
        return problem_refuse (reader, "%s: must be a list with an entry for each cluster", key);
    if (json_array_size (*list) != count)
        return problem_refuse (reader, "%s: has %zu entries, speeds has %zu", key,
                               json_array_size (*list), count);
    return true;
}

/*  NaN for what is none. */
static double real_read (const json_t *json)
{
    return json_is_number (json) ? json_number_value (json) : NAN;
}

static double level_of (const json_t *json)
{
    const char *word = json_string_value (json);
    return word && strcmp (word, "inf") == 0 ? INFINITY : real_read (json);
}

/*  A job that is new belongs to the cluster where it is met. */
static uint32_t job_number (balance_vector_t *vector, json_t *numbers, const json_t *name,
                            size_t at)
{
    const char *text = json_string_value (name);
    const json_t *number = json_object_get (numbers, text);
    if (number)
        return (uint32_t) json_integer_value (number);
    uint32_t job = (uint32_t) vector->jobs_count++;
    vector->owners [job] = (uint32_t) at;
    vector->jobs [job] = name;
    if (json_object_set_new_nocheck (numbers, text, json_integer (job)) != 0)
        abort ();
    return job;
}

/*  Pieces of a job may lie in several queues, and several in one. */
static bool read_queue (const problem_reader_t *reader, const json_t *list, size_t at,
                        balance_vector_t *vector, json_t *numbers)
{
    if (!json_is_array (list))
        return problem_refuse (reader,
                               "queues_in[%zu]: must be a list of [job, load], head to tail", at);
    const json_t *entry;
    for (size_t i = 0; (entry = json_array_get (list, i)); i++) {
        const json_t *name = json_array_get (entry, 0);
        double load = real_read (json_array_get (entry, 1));
        if (!json_is_string (name) || json_array_size (entry) != 2)
            return problem_refuse (reader, "queues_in[%zu][%zu]: must be [job, load]", at, i);
        if (!(load > 0 && load <= BILB_LOAD_MAX))
            return problem_refuse (reader, "queues_in[%zu][%zu]: load must be a number up to 1e15",
                                   at, i);
        uint32_t job = job_number (vector, numbers, name, at);
        vector->loads [job] += load;
        bilb_queue_add (&vector->members [at].queue, job, load);
    }
    return true;
}

static bool check_member (const problem_reader_t *reader, const bilb_member_t *member, size_t at)
{
    bilb_cluster_t cluster = {.speed = member->speed, .level = member->level};
    for (size_t i = 0; i < member->queue.count; i++)
        cluster.load += member->queue.pieces [i].load;
    static const char *const keys [] = {
      [BILB_BAD_SPEED] = "speeds", [BILB_BAD_LEVEL] = "levels", [BILB_BAD_LOAD] = "queues_in"};
    bilb_check_t check = bilb_check (&cluster);
    return check == BILB_GOOD ||
           problem_refuse (reader, "%s[%zu]: %s", keys [check], at, bilb_check_words (check));
}

static bool read_owners (const problem_reader_t *reader, const json_t *owners,
                         balance_vector_t *vector, const json_t *numbers)
{
    const char *name;
    json_t *owner;
    if (owners && !json_is_object (owners))
        return problem_refuse (reader, "owners: must be {\"JOB\": CLUSTER, ...}");
    json_object_foreach ((json_t *) owners, name, owner)
    {
        const json_t *number = json_object_get (numbers, name);
        json_int_t cluster = json_is_integer (owner) ? json_integer_value (owner) : -1;
        if (!number)
            return problem_refuse (reader, "owners: job \"%.60s\" is in no queue", name);
        if (cluster < 0 || (size_t) cluster >= vector->count)
            return problem_refuse (reader, "owners: %.60s: must be a cluster, 0 to %zu", name,
                                   vector->count - 1);
        vector->owners [json_integer_value (number)] = (uint32_t) cluster;
    }
    return true;
}

static bool check_jobs (const problem_reader_t *reader, const balance_vector_t *vector)
{
    for (size_t i = 0; i < vector->jobs_count; i++)
        if (vector->loads [i] < BILB_LOAD_MIN)
            return problem_refuse (reader, "queues_in: job \"%.60s\": load must be at least 1e-9",
                                   json_string_value (vector->jobs [i]));
    return true;
}

static bool read_queues (const problem_reader_t *reader, const json_t *queues, const json_t *owners,
                         balance_vector_t *vector)
{
    size_t pieces = 0;
    size_t i;
    const json_t *entry;
    for (i = 0; (entry = json_array_get (queues, i)); i++)
        pieces += json_array_size (entry);
    if (pieces > BALANCE_PIECES_MAX)
        return problem_refuse (reader, "queues_in: has %zu entries; at most %d", pieces,
                               BALANCE_PIECES_MAX);
    vector->jobs = must (calloc (pieces + 1, sizeof (json_t *)));
    vector->owners = must (calloc (pieces + 1, sizeof *vector->owners));
    vector->loads = must (calloc (pieces + 1, sizeof *vector->loads));
    json_auto_t *numbers = must (json_object ());
    bool good = true;
    for (i = 0; i < vector->count && good; i++)
        good = read_queue (reader, json_array_get (queues, i), i, vector, numbers);
    good = good && check_jobs (reader, vector) && read_owners (reader, owners, vector, numbers);
    return good;
}

static bool read_vector (const problem_reader_t *reader, const json_t *entry,
                         balance_vector_t *vector)
{
    const json_t *speeds = json_object_get (entry, "speeds");
    const json_t *levels;
    const json_t *queues;
    if (!problem_keys (reader, entry,
                       "name, note, speeds, levels, queues_in, owners, expect, expect_reschedule"))
        return false;
    vector->name = json_object_get (entry, "name");
    if (vector->name && !json_is_string (vector->name))
        return problem_refuse (reader, "name: must be a text");
    size_t count = json_array_size (speeds);
    if (count == 0 || count > BALANCE_CLUSTERS_MAX)
        return problem_refuse (reader,
                               "speeds: must be a list with an entry for each cluster, 1 to %d",
                               BALANCE_CLUSTERS_MAX);
    if (!balance_form_read_list (reader, entry, "levels", &levels, count) ||
        !balance_form_read_list (reader, entry, "queues_in", &queues, count))
        return false;
    vector->count = count;
    vector->members = must (calloc (count, sizeof *vector->members));
    for (size_t i = 0; i < count; i++) {
        vector->members [i].speed = real_read (json_array_get (speeds, i));
        vector->members [i].level = level_of (json_array_get (levels, i));
    }
    if (!read_queues (reader, queues, json_object_get (entry, "owners"), vector))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!check_member (reader, &vector->members [i], i))
            return false;
    return true;
}

balance_vector_t *balance_form_read (const json_t *file, size_t *count, char why [LONG_WHY_BYTES])
{
    problem_reader_t reader = {.why = why};
    const json_t *list =
      problem_list (&reader, file, "vectors", "vectors, tolerance, indices", "name");
    if (!list)
        return NULL;
    *count = json_array_size (list);
    balance_vector_t *vectors = must (calloc (*count + 1, sizeof *vectors));
    const json_t *entry;
    for (size_t i = 0; (entry = json_array_get (list, i)); i++) {
        snprintf (reader.path, sizeof reader.path, "vectors[%zu]", i);
        if (!read_vector (&reader, entry, &vectors [i])) {
            balance_form_free (vectors, *count);
            return NULL;
        }
    }
    return vectors;
}

void balance_form_free (balance_vector_t *vectors, size_t count)
{
    for (size_t i = 0; i < count && vectors; i++) {
        for (size_t k = 0; k < vectors [i].count; k++)
            bilb_queue_free (&vectors [i].members [k].queue);
        free (vectors [i].members);
        free (vectors [i].jobs);
        free (vectors [i].owners);
        free (vectors [i].loads);
    }
    free (vectors);
}
