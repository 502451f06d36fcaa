/*  lis_config - from keys to settings.
 *
 *  Who has a local account is written the other way round than one reads it: the account names the
 *  line and the actors stand in its value, because a name in a ZPL file can't hold every actor's
 *  name, and surely not the star that means anybody.
 */
#include "lis_config.h"

#include "lis.h"
#include "participant_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACCOUNTS_MAX    4096    /* local accounts */
#define CREDIT          1000000 /* micro-credits */
#define NODES_MOST      1e7     /* readers of site descriptions take no more */
#define CPUS_MOST       1e6
#define CONFIG_PATH_MAX 512

const config_key_t lis_keys [] = {
  {.path = "name", .required = true, .meaning = "the site's name in the federation, such as ams"},
  {.path = "gis", .preset = "", .meaning = "endpoints of the directories, separated by commas"},
  {.path = "classes/*/nodes",
   .type = CONFIG_INTEGER,
   .required = true,
   .least = 0,
   .most = NODES_MOST,
   .meaning = "identical nodes of this class"},
  {.path = "classes/*/cpus_per_node",
   .type = CONFIG_INTEGER,
   .preset = "1",
   .least = 1,
   .most = CPUS_MOST,
   .meaning = "CPUs of each node; nodes are granted whole"},
  {.path = "classes/*/price",
   .type = CONFIG_REAL,
   .preset = "0",
   .least = 0,
   .most = 1e9,
   .meaning = "credits a CPU-hour, to a millionth"},
  {.path = "classes/*/attributes/*", .meaning = "what requests may ask for, such as os = linux"},
  {.path = "disclosure",
   .preset = "profile",
   .meaning = "profile: tells how much is free; windows: tells only whether given windows fit"},
  {.path = "lead",
   .type = CONFIG_DURATION,
   .preset = "5s",
   .least = 0,
   .most = SETTING_DAY_MS,
   .meaning = "refuses reservations that start sooner than this"},
  {.path = "horizon",
   .type = CONFIG_DURATION,
   .preset = "365d",
   .least = 1000,
   .most = 36500 * SETTING_DAY_MS,
   .meaning = "refuses reservations that end later than this from now"},
  {.path = "cleaning_gap",
   .type = CONFIG_DURATION,
   .preset = "0s",
   .least = 0,
   .most = SETTING_DAY_MS,
   .meaning = "kept free after each booking"},
  {.path = "accounts/*",
   .meaning = "actors that have this local account, separated by commas; * = anybody. Who has "
              "none can't reserve here"},
  {.path = "administrators",
   .preset = "",
   .meaning = "actors that may change capacity and end others' holds, separated by commas"},
  PARTICIPANT_CONFIG_KEYS,
  {.path = "limits/bookings_max",
   .type = CONFIG_INTEGER,
   .preset = "4000000",
   .least = 1,
   .most = LIS_BOOKINGS_MOST,
   .meaning = "bookings in the calendars of all classes"},
  {.path = "limits/profile_steps_max",
   .type = CONFIG_INTEGER,
   .preset = "16384",
   .least = LIS_STEPS_LEAST,
   .most = LIS_STEPS_MOST,
   .meaning = "steps of all profiles in one answer; where there are more they are coarsened"},
  {.path = "limits/fresh_steps_max",
   .type = CONFIG_INTEGER,
   .preset = "2048",
   .least = LIS_STEPS_LEAST,
   .most = LIS_STEPS_MOST,
   .meaning = "the same for the fresh profiles in a refusal"},
  {.path = "limits/spans_max",
   .type = CONFIG_INTEGER,
   .preset = "1024",
   .least = 1,
   .most = LIS_SPANS_MOST,
   .meaning = "spans in one answer to Free"},
};
const size_t lis_keys_count = sizeof lis_keys / sizeof *lis_keys;

static bool name_read (const config_t *config, char name [NAME_BYTES_MAX + 1],
                       char why [CONFIG_WHY_BYTES])
{
    const char *given = config_text (config, "name");
    if (strncmp (given, "lis/", 4) == 0)
        given += 4;
    size_t length = strlen (given);
    if (length == 0 || length > NAME_BYTES_MAX - strlen ("lis/") ||
        strspn (given, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") !=
          length)
        return wrong_setting (why,
                              "name: \"%.80s\" is no site name; letters, digits, '.', '_' and "
                              "'-', at most %zu of them",
                              given, NAME_BYTES_MAX - strlen ("lis/"));
    snprintf (name, NAME_BYTES_MAX + 1, "lis/%s", given);
    return true;
}

static const char *path_of (char path [CONFIG_PATH_MAX], const char *class_name, const char *rest)
{
    snprintf (path, CONFIG_PATH_MAX, "classes/%s/%s", class_name, rest);
    return path;
}

static bool attributes_read (const config_t *config, node_class_t *class,
                             char why [CONFIG_WHY_BYTES])
{
    const char *names [CLASS_ATTRIBUTES_MAX + 1];
    char section [CONFIG_PATH_MAX];
    path_of (section, class->name, "attributes");
    size_t count = config_names (config, section, names, CLASS_ATTRIBUTES_MAX + 1);
    if (count > CLASS_ATTRIBUTES_MAX)
        return wrong_setting (why, "%s: at most %d attributes", section, CLASS_ATTRIBUTES_MAX);
    class->attributes = calloc (count + 1, sizeof *class->attributes);
    if (!class->attributes)
        abort ();
    for (size_t i = 0; i < count; i++) {
        char path [2 * CONFIG_PATH_MAX];
        snprintf (path, sizeof path, "%s/%s", section, names [i]);
        const char *value = config_text (config, path);
        if (strlen (names [i]) > NAME_BYTES_MAX || !*value ||
            strlen (value) > ATTRIBUTE_VALUE_BYTES_MAX)
            return wrong_setting (why,
                                  "%.200s: an attribute has a name of at most %d bytes and a "
                                  "value of 1 to %d",
                                  path, NAME_BYTES_MAX, ATTRIBUTE_VALUE_BYTES_MAX);
        attribute_t *attribute = &class->attributes [class->attributes_count++];
        snprintf (attribute->name, sizeof attribute->name, "%s", names [i]);
        snprintf (attribute->value, sizeof attribute->value, "%s", value);
    }
    return true;
}

static bool classes_read (const config_t *config, site_t *site, char why [CONFIG_WHY_BYTES])
{
    const char *names [SITE_CLASSES_MAX + 1];
    size_t count = config_names (config, "classes", names, SITE_CLASSES_MAX + 1);
    if (count == 0 || count > SITE_CLASSES_MAX)
        return wrong_setting (why, "classes: a site has 1 to %d classes of nodes",
                              SITE_CLASSES_MAX);
    site->classes = calloc (count, sizeof *site->classes);
    if (!site->classes)
        abort ();
    for (size_t i = 0; i < count; i++) {
        if (strlen (names [i]) > NAME_BYTES_MAX)
            return wrong_setting (why, "classes/%.80s…: a name has at most %d bytes", names [i],
                                  NAME_BYTES_MAX);
        char path [CONFIG_PATH_MAX];
        node_class_t *class = &site->classes [site->classes_count++];
        snprintf (class->name, sizeof class->name, "%s", names [i]);
        class->nodes = (uint32_t) config_integer (config, path_of (path, names [i], "nodes"));
        class->cpus_per_node =
          (uint32_t) config_integer (config, path_of (path, names [i], "cpus_per_node"));
        class->price = llround (config_real (config, path_of (path, names [i], "price")) * CREDIT);
        if (!attributes_read (config, class, why))
            return false;
    }
    return true;
}

static bool site_read (const config_t *config, site_t *site, char why [CONFIG_WHY_BYTES])
{
    *site = (site_t){.disclosure = DISCLOSE_PROFILE,
                     .lead_ms = config_duration_ms (config, "lead"),
                     .horizon_ms = config_duration_ms (config, "horizon"),
                     .cleaning_gap_ms = config_duration_ms (config, "cleaning_gap")};
    const char *disclosure = config_text (config, "disclosure");
    if (strcmp (disclosure, "windows") == 0)
        site->disclosure = DISCLOSE_WINDOWS;
    else if (strcmp (disclosure, "profile") != 0)
        return wrong_setting (why, "disclosure: \"%.80s\" should be profile or windows",
                              disclosure);
    if (site->lead_ms >= site->horizon_ms)
        return wrong_setting (why, "horizon: must be longer than lead");
    return classes_read (config, site, why);
}

static bool limits_read (const config_t *config, lis_settings_t *settings,
                         char why [CONFIG_WHY_BYTES])
{
    settings->limits = (lis_limits_t){
      .bookings_max = (uint32_t) config_integer (config, "limits/bookings_max"),
      .profile_steps_max = (uint32_t) config_integer (config, "limits/profile_steps_max"),
      .fresh_steps_max = (uint32_t) config_integer (config, "limits/fresh_steps_max"),
      .spans_max = (uint32_t) config_integer (config, "limits/spans_max"),
    };
    return participant_limits_read (config, &settings->participant, why);
}

/*  The lists of names in a file. */
typedef struct {
    words_t accounts; /* actors with an account, whichever */
    words_t administrators;
    words_t gis;
} lists_t;

static bool lists_read (const config_t *config, lists_t *lists, char why [CONFIG_WHY_BYTES])
{
    const char *locals [ACCOUNTS_MAX + 1];
    size_t count = config_names (config, "accounts", locals, ACCOUNTS_MAX + 1);
    if (count > ACCOUNTS_MAX)
        return wrong_setting (why, "accounts: at most %d local accounts", ACCOUNTS_MAX);
    for (size_t i = 0; i < count; i++) {
        char path [CONFIG_PATH_MAX];
        snprintf (path, sizeof path, "accounts/%s", locals [i]);
        words_add (&lists->accounts, config_text (config, path), "");
    }
    words_add (&lists->administrators, config_text (config, "administrators"), "");
    words_add (&lists->gis, config_text (config, "gis"), "");
    return words_short (&lists->accounts, "accounts", NAME_BYTES_MAX, why) &&
           words_short (&lists->administrators, "administrators", NAME_BYTES_MAX, why) &&
           words_short (&lists->gis, "gis", ENDPOINT_BYTES_MAX, why);
}

static void lists_clear (lists_t *lists)
{
    words_clear (&lists->accounts);
    words_clear (&lists->administrators);
    words_clear (&lists->gis);
}

bool lis_core_from_config (const config_t *config, core_t *core, char why [CONFIG_WHY_BYTES])
{
    char name [NAME_BYTES_MAX + 1];
    lists_t lists = {0};
    lis_settings_t settings = {.name = name};
    bool good = name_read (config, name, why) && site_read (config, &settings.site, why) &&
                limits_read (config, &settings, why) && lists_read (config, &lists, why);
    if (good) {
        settings.access = (access_t){
          .accounts = (const char *const *) lists.accounts.words,
          .accounts_count = lists.accounts.count,
          .administrators = (const char *const *) lists.administrators.words,
          .administrators_count = lists.administrators.count,
        };
        settings.gis_endpoints = (const char *const *) lists.gis.words;
        settings.gis_count = lists.gis.count;
        lis_core (&settings, core);
    }
    lists_clear (&lists);
    site_clear (&settings.site);
    return good;
}
