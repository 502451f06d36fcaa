/*  replica_config - reads the settings from the configuration. */
#include "replica_config.h"

#include "replica.h"
#include "timetable_config.h"

#include <assert.h>
#include <string.h>

#define MINUTE_MS      60000.0
#define DAY_MS         (24 * 60 * MINUTE_MS)
#define TRANSFERS_MOST 2048

static_assert (2 * TRANSFERS_MOST <= CHAIN_TRANSFERS_MAX, "as many again may be over");

const config_key_t replica_keys [] = {
  KEY_NEEDED (CONFIG_TEXT, "name", 0, 0, "the site's name in the federation, such as ams"),
  KEY_TEXT ("gis", "", "endpoints of the directories, separated by commas"),
  KEY_FLAG (
    "index", "false",
    "true: this is an index, which remembers what all sites have and has no files of its own"),
  KEY_TEXT ("nodes", "",
            "names of the site's storage nodes (svc-replica node), separated by commas"),
  KEY_TEXT ("cost", "throughput",
            "how a source is chosen: throughput (measured throughput and present load) or rtt "
            "(round trip time)"),
  TIMETABLE_CONFIG_KEYS,
  PARTICIPANT_CONFIG_KEYS,
  PLUS_CONFIG_KEYS,
  PROVIDER_LIMITS_KEYS ("bookings in the calendars of all storage nodes", CHAIN_NODES_MAX, "16384",
                        "4096"),
  KEY_INTEGER ("mbps", "0", 0, 1000000, "Mbit/s of each transfer; 0 = as fast as it goes"),
  KEY_INTEGER ("limits/files_max", "1000000", 1, 100000000,
               "most files that the catalogue may have"),
  KEY_INTEGER ("limits/places_max", "4000000", 1, 1000000000,
               "most places of files that an index remembers, of all sites together"),
  KEY_INTEGER ("limits/transfers_max", "1024", 1, TRANSFERS_MOST,
               "most transfers to the site or inside it at once"),
  KEY_INTEGER ("limits/transfers_per_source_max", "16", 1, TRANSFERS_MOST,
               "most transfers that the site feeds to other sites at once"),
  KEY_INTEGER ("limits/transfers_per_pair_max", "4", 1, TRANSFERS_MOST,
               "most of those to any one site; also most transfers from any one site to here"),
  KEY_DURATION ("limits/patience", "60s", 1000, 60 * MINUTE_MS,
                "a transfer that waits longer than this for a source, or for room, fails"),
  KEY_DURATION ("limits/home", "1h", 0, 365 * DAY_MS,
                "a task from another site is over without its outputs at home after this"),
  KEY_DURATION ("limits/node_silent", "25s", 11000, 60 * MINUTE_MS,
                "a storage node that is silent for longer than this gets nothing new"),
  KEY_DURATION ("limits/node_lost", "120s", 100, 24 * 60 * MINUTE_MS,
                "a storage node that is silent for longer than this has failed in its transfers"),
  KEY_DURATION ("limits/scrub_every", "30d", 0, 3650 * DAY_MS,
                "each copy is read again before its last proof is older than this; 0 = only when "
                "musubi scrub asks for it"),
  KEY_INTEGER ("limits/scrub_mbps", "400", 1, 1000000,
               "Mbit/s at which a storage node reads its copies again"),
};
const size_t replica_keys_count = sizeof replica_keys / sizeof *replica_keys;

static bool nodes_read (const config_t *config, name_list_t *nodes, char why [LONG_WHY_BYTES])
{
    name_list_add (nodes, config_text (config, "nodes"), "");
    if (!words_right (nodes, "nodes", NAME_BYTES_MAX, why))
        return false;
    if (nodes->count > CHAIN_NODES_MAX)
        return wrong_setting (why, "nodes: at most %d names are allowed", CHAIN_NODES_MAX);
    for (size_t i = 0; i < nodes->count; i++) {
        const char *name = nodes->words [i];
        if (strncmp (name, "guest-", 6) == 0)
            return wrong_setting (why,
                                  "nodes: \"%.60s\" begins with guest-, as only the names of "
                                  "clients do; choose another name",
                                  name);
    }
    return true;
}

static bool replica_config_limits_read (const config_t *config, replica_settings_t *settings,
                                        char why [LONG_WHY_BYTES])
{
    uint32_t mbps = (uint32_t) config_integer (config, "mbps");
    replica_limits_t *limits = &settings->limits;
    limits->chain = chain_limits_default;
    limits->files_max = (uint32_t) config_integer (config, "limits/files_max");
    limits->places_max = (uint32_t) config_integer (config, "limits/places_max");
    limits->outgoing_feeds = (outgoing_feeds_limits_t){
      .source_max = (uint32_t) config_integer (config, "limits/transfers_per_source_max"),
      .pair_max = (uint32_t) config_integer (config, "limits/transfers_per_pair_max"),
      .mbps = mbps};
    limits->transfers = (fetcher_limits_t){
      .transfers_max = (uint32_t) config_integer (config, "limits/transfers_max"),
      .patience_ms = config_duration_ms (config, "limits/patience"),
      .mbps = mbps};
    limits->scrub =
      (scrub_limits_t){.every_ms = config_duration_ms (config, "limits/scrub_every"),
                       .mbps = (uint32_t) config_integer (config, "limits/scrub_mbps")};
    limits->home_ms = config_duration_ms (config, "limits/home");
    limits->chain.silent_ms = (uint32_t) config_duration_ms (config, "limits/node_silent");
    limits->chain.lost_ms = (uint32_t) config_duration_ms (config, "limits/node_lost");
    if (limits->chain.silent_ms >= limits->chain.lost_ms)
        return wrong_setting (why, "limits/node_lost: must be longer than limits/node_silent");
    return true;
}

static bool cost_read (const config_t *config, selector_cost_t *cost, char why [LONG_WHY_BYTES])
{
    const char *word = config_text (config, "cost");
    *cost = strcmp (word, "rtt") == 0 ? SELECT_RTT : SELECT_THROUGHPUT;
    return *cost == SELECT_RTT || strcmp (word, "throughput") == 0 ||
           wrong_setting (why, "cost: \"%.80s\" should be throughput or rtt", word);
}

static bool replica_config_settings_read (const config_t *config, provider_words_t *words,
                                          name_list_t *nodes, replica_settings_t *settings,
                                          char why [LONG_WHY_BYTES])
{
    settings->index = config_boolean (config, "index");
    settings->provider.limits.questions =
      (calendar_service_limits_t){.windows_max = 64,
                                  .resources_max = CHAIN_NODES_MAX,
                                  .quantity_max = SPACE_BYTES_MAX / SPACE_UNIT};
    if (!provider_config_read (config, settings->index ? "index" : "replica",
                               settings->index ? "index" : "site", words, &settings->terms,
                               &settings->provider, why) ||
        !provider_limits_read (config, &settings->provider, why) ||
        !nodes_read (config, nodes, why) || !cost_read (config, &settings->cost, why))
        return false;
    settings->plus = plus_limits_read (config);
    settings->nodes = (const char *const *) nodes->words;
    settings->nodes_count = nodes->count;
    return replica_config_limits_read (config, settings, why);
}

bool replica_core_from_config (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    provider_words_t words = {.name = ""};
    name_list_auto_t nodes = {0};
    replica_settings_t settings = {0};
    bool good = replica_config_settings_read (config, &words, &nodes, &settings, why);
    if (good)
        replica_core (&settings, core);
    provider_words_clear (&words);
    return good;
}
