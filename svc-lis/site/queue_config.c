/*  queue_config - from keys to settings. */
#include "queue_config.h"

#include "must.h"
#include "participant_config.h"
#include "sharing_config.h"
#include "words.h"

#include <stdio.h>
#include <string.h>

#define ACCOUNTS_MAX    4096
#define CONFIG_PATH_MAX 512

static void accounts_add (runner_settings_t *settings, const char *local, const words_t *actors)
{
    settings->accounts =
      must (reallocarray (settings->accounts, settings->accounts_count + actors->count + 1,
                          sizeof *settings->accounts));
    for (size_t i = 0; i < actors->count; i++) {
        account_t *account = &settings->accounts [settings->accounts_count++];
        snprintf (account->actor, sizeof account->actor, "%s", actors->words [i]);
        snprintf (account->account, sizeof account->account, "%s", local);
    }
}

/*  Actors that are too long were refused when the site's access was read. */
static bool accounts_read (const config_t *config, runner_settings_t *settings,
                           char why [CONFIG_WHY_BYTES])
{
    const char *locals [ACCOUNTS_MAX + 1];
    size_t count = config_names (config, "accounts", locals, ACCOUNTS_MAX + 1);
    for (size_t i = 0; i < count && i < ACCOUNTS_MAX; i++) {
        char path [CONFIG_PATH_MAX];
        snprintf (path, sizeof path, "accounts/%s", locals [i]);
        if (strlen (locals [i]) > ACCOUNT_BYTES_MAX)
            return wrong_setting (why, "accounts/%.80s: a local account has at most %d bytes",
                                  locals [i], ACCOUNT_BYTES_MAX);
        words_t actors = {0};
        words_add (&actors, config_text (config, path), "");
        accounts_add (settings, locals [i], &actors);
        words_clear (&actors);
    }
    return true;
}

bool queue_config_read (const config_t *config, runner_settings_t *settings,
                        char why [CONFIG_WHY_BYTES])
{
    queue_limits_t *queue = &settings->queue;
    *queue = queue_limits_default;
    queue->bags_max = (uint32_t) config_integer (config, "limits/bags_max");
    queue->bags_per_actor_max = (uint32_t) config_integer (config, "limits/bags_per_actor_max");
    queue->tasks_per_bag_max = (uint32_t) config_integer (config, "limits/tasks_per_bag_max");
    queue->limit_ms_max = config_duration_ms (config, "limits/task_limit");
    queue->retention_ms = config_duration_ms (config, "queue/retention");
    queue->life_ms = config_duration_ms (config, "queue/life");
    queue->warning_ms = settings->openings.warning_ms;
    queue->grace_ms = settings->openings.grace_ms;
    return sharing_config_read (config, &settings->sharing, why) &&
           accounts_read (config, settings, why);
}
