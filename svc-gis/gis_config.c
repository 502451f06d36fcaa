/*  gis_config - from keys to settings. */
#include "gis_config.h"

#include "gis.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_MS          86400000.0
#define COUNT_MOST      1e9
#define LIST_SEPARATORS ", \t"
#define NAME_SIGNS      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
#define KIND            "gis/"

const config_key_t gis_keys [] = {
  {.path = "name",
   .required = true,
   .meaning = "this directory's name in the federation, such as g1"},
  {.path = "gis",
   .preset = "",
   .meaning = "endpoints of the other directories, separated by commas"},
  {.path = "homes",
   .preset = "",
   .meaning =
     "names of all directories of the federation, in an order that is the same at each and "
     "never changes: they are the homes of requests; none = this one alone"},
  {.path = "administrators",
   .preset = "",
   .meaning = "actors that may announce and withdraw in others' names and end holds, separated by "
              "commas"},
  {.path = "actors",
   .preset = "*",
   .meaning = "actors whose requests may have their home here, separated by commas; * = anybody"},
  {.path = "lease_min",
   .type = CONFIG_DURATION,
   .preset = "3s",
   .least = GIS_LEASE_MS_LEAST,
   .most = GIS_LEASE_MS_MOST,
   .meaning = "shortest lease of an entry"},
  {.path = "lease_max",
   .type = CONFIG_DURATION,
   .preset = "60s",
   .least = GIS_LEASE_MS_LEAST,
   .most = GIS_LEASE_MS_MOST,
   .meaning = "longest lease of an entry: a service that died is listed so long"},
  {.path = "limits/entries_max",
   .type = CONFIG_INTEGER,
   .preset = "4096",
   .least = 1,
   .most = GIS_ENTRIES_MAX,
   .meaning = "services listed at once"},
  {.path = "limits/closed_max",
   .type = CONFIG_INTEGER,
   .preset = "1000000",
   .least = 1,
   .most = COUNT_MOST,
   .meaning = "refused requests remembered at once"},
  {.path = "limits/hold_ttl",
   .type = CONFIG_DURATION,
   .preset = "60s",
   .least = 100,
   .most = DAY_MS,
   .meaning = "life of a held claim when none is asked"},
  {.path = "limits/hold_ttl_max",
   .type = CONFIG_DURATION,
   .preset = "300s",
   .least = 100,
   .most = DAY_MS,
   .meaning = "longest life granted at once"},
  {.path = "limits/hold_age_max",
   .type = CONFIG_DURATION,
   .preset = "600s",
   .least = 100,
   .most = 7 * DAY_MS,
   .meaning = "a held claim's whole life, renewals included"},
  {.path = "limits/holds_max",
   .type = CONFIG_INTEGER,
   .preset = "65536",
   .least = 1,
   .most = COUNT_MOST,
   .meaning = "claims held or prepared at once"},
  {.path = "limits/holds_per_actor_max",
   .type = CONFIG_INTEGER,
   .preset = "4096",
   .least = 1,
   .most = COUNT_MOST,
   .meaning = "of those, for one actor"},
  {.path = "limits/holds_per_planner_max",
   .type = CONFIG_INTEGER,
   .preset = "16384",
   .least = 1,
   .most = COUNT_MOST,
   .meaning = "of those, from one planner"},
  {.path = "limits/retention",
   .type = CONFIG_DURATION,
   .preset = "24h",
   .least = 1000,
   .most = 36500 * DAY_MS,
   .meaning = "claims are kept so long past the last window of their request"},
  {.path = "limits/doubt",
   .type = CONFIG_DURATION,
   .preset = "2s",
   .least = 10,
   .most = DAY_MS,
   .meaning = "first question about a vote without decision"},
  {.path = "limits/doubt_max",
   .type = CONFIG_DURATION,
   .preset = "15s",
   .least = 10,
   .most = DAY_MS,
   .meaning = "such questions back off to this"},
  {.path = "limits/list_max",
   .type = CONFIG_INTEGER,
   .preset = "1000",
   .least = 1,
   .most = COUNT_MOST,
   .meaning = "records in one page of a list"},
};
const size_t gis_keys_count = sizeof gis_keys / sizeof *gis_keys;

__attribute__ ((format (printf, 2, 3))) static bool wrong_setting (char why [CONFIG_WHY_BYTES],
                                                                   const char *format, ...)
{
    va_list arguments;
    va_start (arguments, format);
    vsnprintf (why, CONFIG_WHY_BYTES, format, arguments);
    va_end (arguments);
    return false;
}

/*  The words of a list such as "alice, bob". Owns them: words_clear. */
typedef struct {
    char **words;
    size_t count;
} words_t;

static void words_clear (words_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        free (self->words [i]);
    free (self->words);
    *self = (words_t){0};
}

/*  Each with prefix before it, unless it stands there. */
static words_t words_read (const config_t *config, const char *path, const char *prefix)
{
    words_t self = {0};
    const char *list = config_text (config, path);
    for (list += strspn (list, LIST_SEPARATORS); *list; list += strspn (list, LIST_SEPARATORS)) {
        size_t length = strcspn (list, LIST_SEPARATORS);
        bool given = strncmp (list, prefix, strlen (prefix)) == 0;
        self.words = reallocarray (self.words, self.count + 1, sizeof *self.words);
        if (!self.words || asprintf (&self.words [self.count], "%s%.*s", given ? "" : prefix,
                                     (int) length, list) < 0)
            abort ();
        self.count++;
        list += length;
    }
    return self;
}

static bool words_short (const words_t *self, const char *key, size_t bytes_max,
                         char why [CONFIG_WHY_BYTES])
{
    for (size_t i = 0; i < self->count; i++)
        if (strlen (self->words [i]) > bytes_max)
            return wrong_setting (why, "%s: %.80s… is longer than %zu bytes", key, self->words [i],
                                  bytes_max);
    return true;
}

/*  "gis/g1": what stands after the slash ends request ids, so it must be plain. */
static bool name_sound (const char *name, const char *key, char why [CONFIG_WHY_BYTES])
{
    const char *given = name + strlen (KIND);
    size_t length = strlen (given);
    if (length > 0 && length <= NAME_BYTES_MAX - strlen (KIND) &&
        strspn (given, NAME_SIGNS) == length)
        return true;
    return wrong_setting (why,
                          "%s: \"%.80s\" is no directory's name; letters, digits, '.', '_' and "
                          "'-', at most %zu of them",
                          key, given, NAME_BYTES_MAX - strlen (KIND));
}

static bool homes_sound (const words_t *homes, const char *name, char why [CONFIG_WHY_BYTES])
{
    bool named = homes->count == 0;
    if (homes->count > GIS_HOMES_MAX)
        return wrong_setting (why, "homes: at most %d", GIS_HOMES_MAX);
    for (size_t i = 0; i < homes->count; i++) {
        if (!name_sound (homes->words [i], "homes", why))
            return false;
        for (size_t k = 0; k < i; k++)
            if (strcmp (homes->words [k], homes->words [i]) == 0)
                return wrong_setting (why, "homes: %s stands there twice", homes->words [i]);
        named = named || strcmp (homes->words [i], name) == 0;
    }
    if (!named)
        return wrong_setting (why, "homes: %s itself should be among them", name);
    return true;
}

static bool limits_read (const config_t *config, gis_settings_t *settings,
                         char why [CONFIG_WHY_BYTES])
{
    settings->lease_ms_min = (uint32_t) config_duration_ms (config, "lease_min");
    settings->lease_ms_max = (uint32_t) config_duration_ms (config, "lease_max");
    settings->entries_max = (uint32_t) config_integer (config, "limits/entries_max");
    settings->closed_max = (uint32_t) config_integer (config, "limits/closed_max");
    settings->limits = (participant_limits_t){
      .hold_ttl_ms = (uint32_t) config_duration_ms (config, "limits/hold_ttl"),
      .hold_ttl_ms_max = (uint32_t) config_duration_ms (config, "limits/hold_ttl_max"),
      .hold_age_ms_max = (uint32_t) config_duration_ms (config, "limits/hold_age_max"),
      .holds_max = (uint32_t) config_integer (config, "limits/holds_max"),
      .holds_per_actor_max = (uint32_t) config_integer (config, "limits/holds_per_actor_max"),
      .holds_per_planner_max = (uint32_t) config_integer (config, "limits/holds_per_planner_max"),
      .retention_ms = config_duration_ms (config, "limits/retention"),
      .doubt_ms = (uint32_t) config_duration_ms (config, "limits/doubt"),
      .doubt_ms_max = (uint32_t) config_duration_ms (config, "limits/doubt_max"),
      .list_max = (uint32_t) config_integer (config, "limits/list_max"),
    };
    const participant_limits_t *limits = &settings->limits;
    if (settings->lease_ms_min > settings->lease_ms_max)
        return wrong_setting (why, "lease_min: must not be longer than lease_max");
    if (limits->hold_ttl_ms > limits->hold_ttl_ms_max)
        return wrong_setting (why, "limits/hold_ttl: must not be longer than limits/hold_ttl_max");
    if (limits->hold_ttl_ms_max > limits->hold_age_ms_max)
        return wrong_setting (why,
                              "limits/hold_ttl_max: must not be longer than limits/hold_age_max");
    if (limits->doubt_ms > limits->doubt_ms_max)
        return wrong_setting (why, "limits/doubt: must not be longer than limits/doubt_max");
    return true;
}

bool gis_core_from_config (const config_t *config, core_t *core, char why [CONFIG_WHY_BYTES])
{
    words_t names = words_read (config, "name", KIND);
    words_t homes = words_read (config, "homes", KIND);
    words_t gis = words_read (config, "gis", "");
    words_t actors = words_read (config, "actors", "");
    words_t administrators = words_read (config, "administrators", "");
    gis_settings_t settings = {0};
    bool good = names.count == 1 || wrong_setting (why, "name: should be one name, such as g1");
    good = good && name_sound (names.words [0], "name", why) &&
           homes_sound (&homes, names.words [0], why) &&
           words_short (&gis, "gis", ENDPOINT_BYTES_MAX, why) &&
           words_short (&actors, "actors", NAME_BYTES_MAX, why) &&
           words_short (&administrators, "administrators", NAME_BYTES_MAX, why) &&
           limits_read (config, &settings, why);
    if (good) {
        settings.name = names.words [0];
        settings.homes = (const char *const *) homes.words;
        settings.homes_count = homes.count;
        settings.gis_endpoints = (const char *const *) gis.words;
        settings.gis_count = gis.count;
        settings.access = (access_t){
          .accounts = (const char *const *) actors.words,
          .accounts_count = actors.count,
          .administrators = (const char *const *) administrators.words,
          .administrators_count = administrators.count,
        };
        gis_core (&settings, core);
    }
    words_clear (&names);
    words_clear (&homes);
    words_clear (&gis);
    words_clear (&actors);
    words_clear (&administrators);
    return good;
}
