/*  nis_config - from keys to settings. */
#include "nis_config.h"

#include "domain_config.h"
#include "nis.h"
#include "routers_config.h"
#include "timetable_config.h"

#include <stdlib.h>
#include <string.h>

const config_key_t nis_keys [] = {
  KEY_NEEDED (CONFIG_TEXT, "name", 0, 0, "the domain's name in the federation, such as N"),
  KEY_TEXT ("gis", "", "endpoints of the directories, separated by commas"),
  DOMAIN_CONFIG_KEYS (""),
  KEY_TEXT ("provision", "asked",
            "when circuits may carry traffic. asked: once their owner asks for it; start: as soon "
            "as their window opens"),
  SHAPING_CONFIG_KEYS (""),
  ROUTERS_CONFIG_KEYS,
  TIMETABLE_CONFIG_KEYS,
  PARTICIPANT_CONFIG_KEYS,
  PROVIDER_LIMITS_KEYS ("bookings in the calendars of all links; a circuit books each of its links",
                        DOMAIN_LINKS_MAX, "32768", "8192"),
  KEY_INTEGER ("limits/windows_max", "4096", 1, NIS_WINDOWS_MOST, "windows in one question"),
  KEY_INTEGER ("limits/paths_max", "256", 1, NIS_PATHS_MOST,
               "questions about paths in one request"),
};
const size_t nis_keys_count = sizeof nis_keys / sizeof *nis_keys;

static bool nis_config_use_read (const config_t *config, use_mode_t *use, char why [LONG_WHY_BYTES])
{
    const char *provision = config_text (config, "provision");
    *use = strcmp (provision, "start") == 0 ? USE_AT_START : USE_ASKED;
    return *use == USE_AT_START || strcmp (provision, "asked") == 0 ||
           wrong_setting (why, "provision: \"%.80s\" should be asked or start", provision);
}

static bool nis_config_settings_read (const config_t *config, provider_words_t *words,
                                      nis_settings_t *settings, char why [LONG_WHY_BYTES])
{
    free_capacity_terms_t terms;
    if (!provider_config_read (config, "nis", "domain", words, &terms, &settings->provider, why) ||
        !domain_config_read (config, "", words->name + strlen ("nis/"), &settings->domain, why))
        return false;
    settings->domain.disclosure = terms.disclosure;
    settings->domain.lead_ms = terms.lead_ms;
    settings->domain.horizon_ms = terms.horizon_ms;
    settings->provider.limits.questions.windows_max =
      (uint32_t) config_integer (config, "limits/windows_max");
    settings->paths_max = (uint32_t) config_integer (config, "limits/paths_max");
    return nis_config_use_read (config, &settings->use, why) &&
           provider_limits_read (config, &settings->provider, why) &&
           routers_config_read (config, words->name + strlen ("nis/"), &settings->domain,
                                &settings->routers, &settings->agents, why);
}

bool nis_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    provider_words_t words = {.name = ""};
    nis_settings_t settings = {.provider.limits.questions = {.resources_max = DOMAIN_LINKS_MAX,
                                                             .quantity_max = LINK_MBPS_MAX}};
    bool good = nis_config_settings_read (config, &words, &settings, why);
    if (good)
        nis_core (&settings, core);
    provider_words_clear (&words);
    free ((void *) settings.routers.links);
    free ((void *) settings.routers.vertices);
    codec_clear (&domain_codec, &settings.domain);
    return good;
}
