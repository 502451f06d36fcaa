/*  runner_config - makes settings of the keys, and names the nodes. */
#include "runner_config.h"

#include "batch_config.h"
#include "must.h"
#include "node_names.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACCOUNTS_MAX    4096
#define CONFIG_PATH_MAX 512

static_assert (NODE_NAMES_MAX <= NODES_PLACES_MAX, "a place for each name");
static_assert (NODE_NAME_BYTES_MAX <= NAME_BYTES_MAX, "a place's name");

static bool places_of_class (const config_t *config, const site_t *site, size_t class,
                             name_list_t *names, runner_settings_t *settings,
                             char why [LONG_WHY_BYTES])
{
    char section [NAME_BYTES_MAX + 16];
    snprintf (section, sizeof section, "classes/%s", site->classes [class].name);
    if (!node_names_read (names, config, section, why))
        return false;
    settings->places =
      must (reallocarray (settings->places, names->count + 1, sizeof *settings->places));
    for (; settings->places_count < names->count; settings->places_count++) {
        node_place_t *place = &settings->places [settings->places_count];
        *place = (node_place_t){.class = class};
        snprintf (place->name, sizeof place->name, "%s", names->words [settings->places_count]);
    }
    return true;
}

/*  It has the name of the batch system, and comes last. */
static void place_of_batch (const char *name, const site_t *site, name_list_t *names,
                            runner_settings_t *settings)
{
    name_list_add (names, name, "");
    settings->places =
      must (reallocarray (settings->places, settings->places_count + 1, sizeof *settings->places));
    node_place_t *place = &settings->places [settings->places_count++];
    *place = (node_place_t){.class = site->classes_count};
    snprintf (place->name, sizeof place->name, "%s", name);
}

static bool places_read (const config_t *config, const site_t *site, runner_settings_t *settings,
                         char why [LONG_WHY_BYTES])
{
    name_list_auto_t names = {0};
    bool good = true;
    for (size_t class = 0; class < site->classes_count && good; class ++)
        good = places_of_class (config, site, class, &names, settings, why);
    if (good && settings->batch)
        place_of_batch (config_text (config, "back_end"), site, &names, settings);
    const char *twice = good ? name_list_twice (&names) : NULL;
    if (twice)
        good = config_wrong (config, "classes", why, "two nodes are called %s", twice);
    return good;
}

/*  A starter gives its run 10 s before it kills it. */
#define RUNS_END_MS 15000

static bool nodes_limits_read (const config_t *config, nodes_limits_t *limits,
                               char why [LONG_WHY_BYTES])
{
    *limits = (nodes_limits_t){
      .attend_ms = (uint32_t) config_duration_ms (config, "nodes/attend"),
      .silent_ms = (uint32_t) config_duration_ms (config, "nodes/silent"),
      .lease_ms = (uint32_t) config_duration_ms (config, "nodes/lease"),
      .lost_ms = (uint32_t) config_duration_ms (config, "nodes/lost"),
      .output_bytes_max = 262144,
      .runs_kept_ms = 24 * INT64_C (3600000),
      .rest_ms = 5000,
      .rest_ms_max = 300000,
    };
    if (limits->silent_ms <= limits->attend_ms)
        return config_wrong (config, "nodes/silent", why, "must be longer than nodes/attend");
    if (limits->lease_ms <= limits->silent_ms)
        return config_wrong (config, "nodes/lease", why, "must be longer than nodes/silent");
    if (limits->lost_ms < limits->lease_ms + RUNS_END_MS)
        return config_wrong (config, "nodes/lost", why,
                             "must be at least %d s longer than nodes/lease: runs take that "
                             "long to end",
                             RUNS_END_MS / 1000);
    return true;
}

static bool sharing_read (const config_t *config, sharing_limits_t *limits,
                          char why [LONG_WHY_BYTES])
{
    limits->move_max = (uint32_t) config_integer (config, "limits/move_max");
    limits->pieces_max = (uint32_t) config_integer (config, "limits/move_pieces_max");
    limits->offer_ms = config_duration_ms (config, "sharing/offer");
    limits->answers_ms = config_duration_ms (config, "sharing/answers");
    limits->again_ms = config_duration_ms (config, "sharing/again");
    limits->lost_ms = config_duration_ms (config, "sharing/lost");
    limits->timeout_ms = config_duration_ms (config, "sharing/timeout");
    return limits->answers_ms > limits->offer_ms ||
           config_wrong (config, "sharing/answers", why, "must be longer than sharing/offer");
}

static void accounts_add (runner_settings_t *settings, const account_t *as,
                          const name_list_t *actors)
{
    settings->accounts =
      must (reallocarray (settings->accounts, settings->accounts_count + actors->count + 1,
                          sizeof *settings->accounts));
    for (size_t i = 0; i < actors->count; i++) {
        account_t *account = &settings->accounts [settings->accounts_count++];
        *account = *as;
        snprintf (account->actor, sizeof account->actor, "%s", actors->words [i]);
    }
}

/*  A word of a section of accounts that stands as it is in commands. */
static bool account_word (const config_t *config, const char *section, const char *key,
                          const char *otherwise, size_t bytes_max, char *word,
                          char why [LONG_WHY_BYTES])
{
    char path [CONFIG_PATH_MAX];
    snprintf (path, sizeof path, "accounts/%s/%s", section, key);
    const char *text = config_has (config, path) ? config_text (config, path) : otherwise;
    snprintf (word, bytes_max + 1, "%s", text);
    return (strlen (text) <= bytes_max &&
            strspn (text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
              strlen (text) &&
            *text != '-') ||
           config_wrong (config, path, why,
                         "\"%.80s\" should be letters, digits, '.', '_' and '-', at most %zu", text,
                         bytes_max);
}

/*  Sections without actors, and names of them that are too long, were refused when the site's access was
 *  read. */
static bool accounts_read (const config_t *config, runner_settings_t *settings,
                           char why [LONG_WHY_BYTES])
{
    const char *locals [ACCOUNTS_MAX + 1];
    size_t count = config_names (config, "accounts", locals, ACCOUNTS_MAX + 1);
    for (size_t i = 0; i < count && i < ACCOUNTS_MAX; i++) {
        char path [CONFIG_PATH_MAX];
        snprintf (path, sizeof path, "accounts/%s", locals [i]);
        account_t as = {.actor = ""};
        snprintf (as.section, sizeof as.section, "accounts/%.50s", locals [i]);
        if (!account_word (config, locals [i], "user", locals [i], ACCOUNT_BYTES_MAX, as.account,
                           why) ||
            !account_word (config, locals [i], "account", "", CHARGED_BYTES_MAX, as.charged, why) ||
            !account_word (config, locals [i], "qos", "", CHARGED_BYTES_MAX, as.qos, why))
            return false;
        name_list_auto_t actors = {0};
        name_list_add (&actors, config_text (config, path), "");
        accounts_add (settings, &as, &actors);
    }
    return true;
}

static bool queue_read (const config_t *config, runner_settings_t *settings,
                        char why [LONG_WHY_BYTES])
{
    queue_limits_t *queue = &settings->queue;
    *queue = (queue_limits_t){.list_max = 1000, .depth = BACKFILL_DEPTH, .start_ms = 5000};
    queue->bags_max = (uint32_t) config_integer (config, "limits/bags_max");
    queue->bags_per_actor_max = (uint32_t) config_integer (config, "limits/bags_per_actor_max");
    queue->tasks_per_bag_max = (uint32_t) config_integer (config, "limits/tasks_per_bag_max");
    queue->limit_ms_max = config_duration_ms (config, "limits/task_limit");
    queue->retention_ms = config_duration_ms (config, "queue/retention");
    queue->life_ms = config_duration_ms (config, "queue/life");
    queue->data_bound = (uint64_t) config_integer (config, "queue/data_bound");
    queue->input_rate = (uint64_t) config_integer (config, "queue/input_rate");
    queue->transfers = (uint32_t) config_integer (config, "queue/transfers");
    queue->data_bound_max = (uint32_t) config_integer (config, "queue/data_bound_bags");
    queue->handed_max = (uint32_t) config_integer (config, "queue/handed");
    queue->stop_ms = config_duration_ms (config, "queue/stop");
    queue->patience_ms = config_duration_ms (config, "queue/patience");
    queue->warning_ms = settings->openings.warning_ms;
    queue->grace_ms = settings->openings.grace_ms;
    return sharing_read (config, &settings->sharing, why) && accounts_read (config, settings, why);
}

/*  Only a batch system knows which jobs may be run again. */
static bool clear_read (const config_t *config, runner_settings_t *settings,
                        char why [LONG_WHY_BYTES])
{
    const char *text = config_text (config, "opening/clear");
    clear_t *clear = &settings->nodes.clear;
    name_list_add (&settings->end_for, config_text (config, "opening/end_for"), "");
    if (strcmp (text, "end") == 0 || (!*text && !settings->batch))
        *clear = CLEAR_END;
    else if (strcmp (text, "requeue") == 0 && settings->batch)
        *clear = CLEAR_REQUEUE;
    else if (*text && strcmp (text, "wait") != 0)
        return config_wrong (config, "opening/clear", why, "\"%.80s\" should be wait%s or end",
                             text, settings->batch ? ", requeue" : "");
    settings->openings.clear = *clear == CLEAR_END;
    return settings->end_for.count == 0 || (settings->batch && *clear != CLEAR_END) ||
           config_wrong (config, "opening/end_for", why,
                         settings->batch ? "with opening/clear = end all reservations end jobs"
                                         : "is for a site with a batch system");
}

bool runner_config_read (const config_t *config, const site_t *site, bool *runs,
                         runner_settings_t *settings, char why [LONG_WHY_BYTES])
{
    const char *back_end = config_text (config, "back_end");
    name_list_auto_t batch_systems = {0};
    name_list_add (&batch_systems, BATCH_SYSTEM_WORDS, "");
    bool batch = name_list_has (&batch_systems, back_end);
    *settings = (runner_settings_t){.back_end = back_end_limits_default, .batch = batch};
    *runs = batch || strcmp (back_end, "runner") == 0;
    if (!*runs && strcmp (back_end, "none") != 0)
        return config_wrong (config, "back_end", why,
                             "\"%.80s\" should be none, runner, or one of " BATCH_SYSTEM_WORDS,
                             back_end);
    openings_limits_t *openings = &settings->openings;
    openings->bind_ms = config_duration_ms (config, "opening/bind");
    openings->warning_ms = config_duration_ms (config, "opening/warning");
    openings->grace_ms = config_duration_ms (config, "opening/grace");
    openings->lend_ms = config_duration_ms (config, "opening/lend");
    openings->release_ms = config_duration_ms (config, "opening/release");
    bool early = batch && !config_has (config, "opening/bind");
    if (batch && strcmp (back_end, "commands") != 0) {
        openings->ahead = (uint32_t) config_integer (config, "batch/ahead");
        openings->reach_ms = early ? 0 : openings->bind_ms;
    }
    if (early || openings->bind_ms > site->lead_ms)
        openings->bind_ms = site->lead_ms;
    if (batch) { /* it is for the batch system to use what its owner does not */
        openings->lend_ms = openings->release_ms = 0;
        openings->watch_ms = config_duration_ms (config, "batch/watch");
    }
    return !*runs ||
           (nodes_limits_read (config, &settings->nodes, why) &&
            clear_read (config, settings, why) && places_read (config, site, settings, why) &&
            queue_read (config, settings, why));
}

void runner_config_clear (runner_settings_t *self)
{
    free (self->places);
    free (self->accounts);
    name_list_clear (&self->end_for);
    self->places = NULL;
    self->accounts = NULL;
}
