/*  nis_config - from keys to settings. */
#include "nis_config.h"

#include "domain_config.h"
#include "nis.h"
#include "timetable_config.h"

#include <string.h>

const config_key_t nis_keys [] = {
  KEY_NEEDED (CONFIG_TEXT, "name", 0, 0, "the domain's name in the federation, such as N"),
  KEY_TEXT ("gis", "", "endpoints of the directories, separated by commas"),
  DOMAIN_CONFIG_KEYS (""),
  KEY_TEXT ("provision", "asked",
            "asked: circuits may be used when their owner says so; start: by themselves when their "
            "window opens"),
  TIMETABLE_CONFIG_KEYS,
  PARTICIPANT_CONFIG_KEYS,
  KEY_INTEGER ("limits/bookings_max", "4000000", 2, TIMETABLE_BOOKINGS_MOST,
               "bookings in the calendars of all links; a circuit books each of its links"),
  KEY_INTEGER ("limits/profile_steps_max", "32768", NIS_STEPS_LEAST, NIS_STEPS_MOST,
               "steps of all profiles in one answer; where there are more they are coarsened"),
  KEY_INTEGER ("limits/fresh_steps_max", "8192", NIS_STEPS_LEAST, NIS_STEPS_MOST,
               "the same for the fresh profiles in a refusal"),
  KEY_INTEGER ("limits/spans_max", "1024", 1, NIS_SPANS_MOST, "spans in one answer to Free"),
  KEY_INTEGER ("limits/windows_max", "4096", 1, NIS_WINDOWS_MOST, "windows in one question"),
  KEY_INTEGER ("limits/paths_max", "256", 1, NIS_PATHS_MOST,
               "questions about paths in one request"),
};
const size_t nis_keys_count = sizeof nis_keys / sizeof *nis_keys;

static bool domain_read (const config_t *config, const timetable_config_t *common, const char *name,
                         domain_t *domain, char why [CONFIG_WHY_BYTES])
{
    if (!domain_config_read (config, "", name, domain, why))
        return false;
    domain->disclosure = common->disclosure;
    domain->lead_ms = common->lead_ms;
    domain->horizon_ms = common->horizon_ms;
    return true;
}

static bool use_read (const config_t *config, use_mode_t *use, char why [CONFIG_WHY_BYTES])
{
    const char *provision = config_text (config, "provision");
    *use = strcmp (provision, "start") == 0 ? USE_AT_START : USE_ASKED;
    return *use == USE_AT_START || strcmp (provision, "asked") == 0 ||
           wrong_setting (why, "provision: \"%.80s\" should be asked or start", provision);
}

static bool limits_read (const config_t *config, const timetable_config_t *common,
                         nis_settings_t *settings, char why [CONFIG_WHY_BYTES])
{
    settings->limits = (nis_limits_t){
      .bookings_max = (uint32_t) config_integer (config, "limits/bookings_max"),
      .profile_steps_max = (uint32_t) config_integer (config, "limits/profile_steps_max"),
      .fresh_steps_max = (uint32_t) config_integer (config, "limits/fresh_steps_max"),
      .spans_max = (uint32_t) config_integer (config, "limits/spans_max"),
      .windows_max = (uint32_t) config_integer (config, "limits/windows_max"),
      .paths_max = (uint32_t) config_integer (config, "limits/paths_max"),
    };
    settings->limits.bookings_per_actor_max = common->bookings_per_actor_max;
    settings->limits.uncommitted = common->uncommitted;
    return participant_limits_read (config, &settings->participant, why);
}

static bool settings_read (const config_t *config, timetable_config_t *common,
                           char name [NAME_BYTES_MAX + 1], nis_settings_t *settings,
                           char why [CONFIG_WHY_BYTES])
{
    if (!config_name_read (config, "nis", "domain", name, why) ||
        !timetable_config_read (config, common, why))
        return false;
    settings->name = name;
    settings->access = timetable_config_access (common);
    settings->gis_endpoints = (const char *const *) common->gis.words;
    settings->gis_count = common->gis.count;
    settings->standing_wait_ms = config_duration_ms (config, "standing/wait");
    return domain_read (config, common, name + strlen ("nis/"), &settings->domain, why) &&
           use_read (config, &settings->use, why) && limits_read (config, common, settings, why);
}

bool nis_core_from_config (const config_t *config, core_t *core, char why [CONFIG_WHY_BYTES])
{
    char name [NAME_BYTES_MAX + 1];
    timetable_config_t common = {0};
    nis_settings_t settings = {0};
    bool good = settings_read (config, &common, name, &settings, why);
    if (good)
        nis_core (&settings, core);
    timetable_config_clear (&common);
    domain_clear (&settings.domain);
    return good;
}
