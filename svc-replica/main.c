/*  svc-replica - the service of one site's files, or an index of all sites'; svc-replica node - the
 *  agent of one of its storage nodes; svc-replica guest - a client's end of one transfer.
 */
#include "config.h"
#include "core.h"
#include "fetcher.h"
#include "host.h"
#include "replica.h"
#include "storage_main.h"
#include "timetable_config.h"

#include <string.h>

typedef struct {
    provider_file_t common;
    const char *nodes;
    replica_settings_t numbers;
} replica_file_t;

static const setting_t replica_file_rows [] = {
  SET_TEXT_NEEDED (replica_file_t, common.name, "name",
                   "the site's name in the federation, such as ams"),
  SET_INSIDE (replica_file_t, common, "", provider_file_t, &provider_file_table),
  SET_EACH (replica_file_t, common.accounts, common.accounts_count, "accounts", account_section_t,
            &account_table, ACCOUNT_SECTIONS_MAX),
  SET_TEXT (replica_file_t, nodes, "nodes", "",
            "names of the site's storage nodes (svc-replica node), separated by commas"),
  SET_INSIDE (replica_file_t, numbers, "", replica_settings_t, &replica_table),
};
static const setting_table_t replica_file_table =
  SETTING_TABLE (replica_file_t, replica_file_rows, NULL);

static bool nodes_read (const config_t *config, const replica_file_t *file, name_list_t *nodes,
                        char why [LONG_WHY_BYTES])
{
    name_list_add (nodes, file->nodes, "");
    if (!words_right (nodes, "nodes", NAME_BYTES_MAX, why))
        return false;
    if (nodes->count > CHAIN_NODES_MAX)
        return config_refuse (config, &file->nodes, why, "at most %d names are allowed",
                              CHAIN_NODES_MAX);
    for (size_t i = 0; i < nodes->count; i++) {
        const char *name = nodes->words [i];
        if (strncmp (name, "guest-", 6) == 0)
            return config_refuse (config, &file->nodes, why,
                                  "\"%.60s\" begins with guest-, as only the names of clients do; "
                                  "choose another name",
                                  name);
    }
    return true;
}

static bool replica_core_from_config (const config_t *config, core_t *core,
                                      char why [LONG_WHY_BYTES])
{
    const replica_file_t *file = config_settings (config, &replica_file_table);
    replica_settings_t settings = file->numbers;
    provider_words_t words = {.name = ""};
    name_list_auto_t nodes = {0};
    bool good =
      provider_config_read (config, &file->common, settings.index ? "index" : "replica",
                            settings.index ? "index" : "site", &words, &settings.provider, why) &&
      nodes_read (config, file, &nodes, why);
    settings.plus = plus_limits_of (&settings.plus, &settings.provider);
    settings.terms = file->common.terms;
    settings.nodes = (const char *const *) nodes.words;
    settings.nodes_count = nodes.count;
    if (good)
        replica_core (&settings, core);
    provider_words_clear (&words);
    return good;
}

int main (int argc, char **argv)
{
    if (argc > 1 && strcmp (argv [1], "node") == 0)
        return storage_main (argc - 1, argv + 1);
    if (argc > 1 && strcmp (argv [1], "guest") == 0)
        return storage_guest (argc - 1, argv + 1);
    host_program_t program = {
      .program = "svc-replica",
      .settings = &replica_file_table,
      .core_new = replica_core_from_config,
      .states = (const state_table_t *const []){&transit_states, &receiver_states, NULL},
    };
    return host_run (&program, argc, argv);
}
