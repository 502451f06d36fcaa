/*  experiment_json - a run's result for other programs: INTERFACES' keys, in one fixed order. */
#include "experiment.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>

/*  Text that is not UTF-8 can't come here: all of it is our own. */
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
