/*  experiment_json - a run's result for other programs: the keys of INTERFACES, in one fixed order.
 */
#include "experiment.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/*  Text that is not UTF-8 can't occur here: all of it is our own. */
static json_t *text (const char *value)
{
    return json_string (value);
}

static json_t *number (double value)
{
    return isnan (value) ? json_null () : json_real (value);
}

static json_t *metric_json (const experiment_run_t *run, size_t arm, size_t metric)
{
    estimate_t estimate = experiment_estimate (run, arm, metric);
    json_t *values = json_array ();
    for (size_t i = run->first [arm]; i < run->first [arm + 1]; i++)
        json_array_append_new (values, number (run->plays [i].values [metric]));
    json_t *json = json_object ();
    json_object_set_new (json, "what", text (run->experiment->metrics [metric].what));
    json_object_set_new (json, "count", json_integer ((json_int_t) estimate.count));
    json_object_set_new (json, "mean", number (estimate.mean));
    json_t *interval = json_array ();
    json_array_append_new (interval, number (estimate.low));
    json_array_append_new (interval, number (estimate.high));
    json_object_set_new (json, "interval", interval);
    json_object_set_new (json, "values", values);
    return json;
}

static json_t *arm_json (const experiment_run_t *run, size_t arm)
{
    char name [ARM_NAME_BYTES];
    run->experiment->arm_name (arm, name);
    json_t *metrics = json_object ();
    for (size_t metric = 0; metric < run->experiment->metrics_count; metric++)
        json_object_set_new (metrics, run->experiment->metrics [metric].name,
                             metric_json (run, arm, metric));
    json_t *json = json_object ();
    json_object_set_new (json, "name", text (name));
    json_object_set_new (json, "plays",
                         json_integer ((json_int_t) (run->first [arm + 1] - run->first [arm])));
    json_object_set_new (json, "broken",
                         json_integer ((json_int_t) experiment_failures (run, arm)));
    json_object_set_new (json, "metrics", metrics);
    return json;
}

static json_t *criteria_json (const experiment_run_t *run, bool *accept)
{
    json_t *criteria = json_array ();
    *accept = true;
    for (size_t i = 0; i < run->criteria_count; i++) {
        const criterion_t *criterion = &run->criteria [i];
        json_t *json = json_object ();
        json_object_set_new (json, "name", text (criterion->name));
        json_object_set_new (json, "what", text (criterion->what));
        json_object_set_new (json, "accept", json_boolean (criterion->accept));
        json_array_append_new (criteria, json);
        *accept = *accept && criterion->accept;
    }
    return criteria;
}

static json_t *run_json (const experiment_run_t *run)
{
    const experiment_t *experiment = run->experiment;
    json_t *json = json_object ();
    json_object_set_new (json, "experiment", text (experiment->name));
    json_object_set_new (json, "title", text (experiment->title));
    json_object_set_new (json, "claim", text (experiment->claim));
    json_object_set_new (json, "revision", text (run->revision));
    json_t *seeds = json_object ();
    json_object_set_new (seeds, "from", json_integer (1));
    json_object_set_new (seeds, "to", json_integer ((json_int_t) run->seeds));
    json_object_set_new (json, "seeds", seeds);
    json_t *settings = json_object ();
    json_object_set_new (settings, "form", text (run->small ? "small" : "full"));
    for (size_t i = 0; i < run->settings_count; i++)
        json_object_set_new (settings, run->settings [i].name, text (run->settings [i].value));
    json_object_set_new (json, "settings", settings);
    json_t *arms = json_array ();
    for (size_t arm = 0; arm < experiment->arms (run->small); arm++)
        json_array_append_new (arms, arm_json (run, arm));
    json_object_set_new (json, "arms", arms);
    bool accept;
    json_object_set_new (json, "criteria", criteria_json (run, &accept));
    json_object_set_new (json, "accept", json_boolean (accept));
    return json;
}

bool experiment_write (const experiment_run_t *run, const char *path)
{
    json_t *json = run_json (run);
    FILE *to = fopen (path, "w");
    bool good = to && json_dumpf (json, to, JSON_INDENT (1) | JSON_REAL_PRECISION (10)) == 0 &&
                fputc ('\n', to) != EOF;
    if (to && fclose (to) != 0)
        good = false;
    json_decref (json);
    return good;
}

/*  --- an earlier result --- */

static const json_t *arm_named (const json_t *arms, const char *name)
{
    size_t i;
    const json_t *arm;
    json_array_foreach (arms, i, arm)
    {
        const char *called = json_string_value (json_object_get (arm, "name"));
        if (called && strcmp (called, name) == 0)
            return arm;
    }
    return NULL;
}

/*  Reads the play of an arm; false when it lacks a metric of ours. */
static bool take_play (const experiment_t *experiment, const json_t *arm, size_t at, play_t *play)
{
    for (size_t metric = 0; metric < METRICS_MAX; metric++)
        play->values [metric] = NO_VALUE;
    for (size_t metric = 0; metric < experiment->metrics_count; metric++) {
        const json_t *metrics = json_object_get (arm, "metrics");
        const json_t *told = json_object_get (metrics, experiment->metrics [metric].name);
        const json_t *value = json_array_get (json_object_get (told, "values"), at);
        if (!value)
            return false;
        if (!json_is_null (value))
            play->values [metric] = json_number_value (value);
    }
    return true;
}

static void take_arms (experiment_run_t *run, const json_t *arms)
{
    for (size_t arm = 0; arm < run->experiment->arms (run->small); arm++) {
        char name [ARM_NAME_BYTES];
        run->experiment->arm_name (arm, name);
        const json_t *told = arm_named (arms, name);
        if (json_integer_value (json_object_get (told, "broken")) > 0)
            continue; /* the earlier result does not say which invariant broke */
        for (size_t i = run->first [arm]; told && i < run->first [arm + 1]; i++)
            run->taken [i] =
              take_play (run->experiment, told, i - run->first [arm], &run->plays [i]);
    }
}

static bool is_text (const json_t *object, const char *key, const char *wanted)
{
    const char *text = json_string_value (json_object_get (object, key));
    return text && strcmp (text, wanted) == 0;
}

bool experiment_take (experiment_run_t *run, const char *path, char why [LONG_WHY_BYTES])
{
    json_error_t error;
    json_t *result = json_load_file (path, 0, &error);
    bool good = false;
    if (!result)
        snprintf (why, LONG_WHY_BYTES, "%s", error.text);
    else if (!is_text (result, "revision", run->revision))
        snprintf (why, LONG_WHY_BYTES, "revision: must be %s", run->revision);
    else if (!is_text (json_object_get (result, "settings"), "form", run->small ? "small" : "full"))
        snprintf (why, LONG_WHY_BYTES, "settings.form: must be %s", run->small ? "small" : "full");
    else
        good = true;
    if (good)
        take_arms (run, json_object_get (result, "arms"));
    json_decref (result);
    return good;
}
