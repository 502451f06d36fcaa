/*  storage_main - reads the settings of a storage node's agent, and runs its host. */
#include "storage_main.h"

#include "host.h"
#include "participant_config.h"
#include "storage.h"
#include "storage_executor.h"

#include <errno.h>
#include <string.h>

#define NODE_NAME_BYTES_MAX 54 /* with "storage/" before it, it is the name of an actor */
#define SITES_MAX           16
#define FOLDER_BYTES_MAX    1024
#define WORKERS_OF_FILES    4

static const config_key_t storage_keys [] = {
  KEY_NEEDED (CONFIG_TEXT, "name", 0, 0, "the name of this storage node in its site"),
  KEY_NEEDED (CONFIG_TEXT, "replica", 0, 0,
              "endpoints of the site's svc-replica, separated by commas"),
  KEY_NEEDED (CONFIG_TEXT, "folder", 0, 0,
              "folder of its files, an absolute path; it is made when there is none"),
  KEY_INTEGER ("bytes", "107374182400", 1, 9e18, "bytes that its files may take in all"),
  KEY_TEXT ("bind/data", "tcp://127.0.0.1:0",
            "endpoint from which other nodes fetch its files; port 0 = any free one, none = it "
            "feeds nobody"),
  KEY_FLAG ("guest/guest", "false",
            "true: this is a client's end of one transfer, not one of the site's storage nodes"),
  KEY_TEXT ("guest/gives", NULL, "name in the federation of the file that the client gives"),
  KEY_TEXT ("guest/gives_path", NULL, "path of the file that the client gives, absolute"),
  KEY_TEXT ("guest/takes", NULL, "name in the federation of the file that the client takes"),
  KEY_TEXT ("guest/takes_path", NULL, "path that the file is written to, absolute"),
};

static bool path_right (const char *key, const char *path, char why [LONG_WHY_BYTES])
{
    if (*path == '/' && strlen (path) <= FOLDER_BYTES_MAX)
        return true;
    return wrong_setting (why, "%s: \"%.80s\" should be an absolute path", key, path);
}

static bool storage_main_guest_right (const storage_settings_t *settings, char why [LONG_WHY_BYTES])
{
    if (!settings->gives_file != !settings->gives_path)
        return wrong_setting (why, "guest/gives and guest/gives_path must be given together");
    if (!settings->takes_file != !settings->takes_path)
        return wrong_setting (why, "guest/takes and guest/takes_path must be given together");
    if (settings->gives_path && !path_right ("guest/gives_path", settings->gives_path, why))
        return false;
    return !settings->takes_path || path_right ("guest/takes_path", settings->takes_path, why);
}

static bool storage_main_settings_right (const storage_settings_t *settings,
                                         char why [LONG_WHY_BYTES])
{
    if (*settings->name == '\0' || strlen (settings->name) > NODE_NAME_BYTES_MAX ||
        strpbrk (settings->name, "/ \t"))
        return wrong_setting (
          why, "name: \"%.80s\" should have 1 to %d bytes, without blanks and slashes",
          settings->name, NODE_NAME_BYTES_MAX);
    if (settings->sites_count == 0 || settings->sites_count > SITES_MAX)
        return wrong_setting (why, "replica: give 1 to %d endpoints", SITES_MAX);
    if (!path_right ("folder", settings->folder, why) || !storage_main_guest_right (settings, why))
        return false;
    if (!storage_folders_make (settings->folder))
        return wrong_setting (why, "folder: \"%.200s\" can't be made: %s", settings->folder,
                              strerror (errno));
    return true;
}

static bool storage_main_core_new (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    name_list_t sites = {0};
    name_list_add (&sites, config_text (config, "replica"), "");
    storage_settings_t settings = {
      .name = config_text (config, "name"),
      .sites = (const char *const *) sites.words,
      .sites_count = sites.count,
      .folder = config_text (config, "folder"),
      .bytes_max = (uint64_t) config_integer (config, "bytes"),
      .guest = config_boolean (config, "guest/guest"),
      .gives_file = config_text (config, "guest/gives"),
      .gives_path = config_text (config, "guest/gives_path"),
      .takes_file = config_text (config, "guest/takes"),
      .takes_path = config_text (config, "guest/takes_path"),
    };
    bool good = storage_main_settings_right (&settings, why);
    if (good)
        storage_core (&settings, core);
    name_list_clear (&sites);
    return good;
}

int storage_main (int argc, char **argv)
{
    host_program_t program = {
      .program = "svc-replica node",
      .keys = storage_keys,
      .keys_count = sizeof storage_keys / sizeof *storage_keys,
      .works = storage_works,
      .works_count = storage_executor_count,
      .workers = WORKERS_OF_FILES,
      .flows = true,
      .core_new = storage_main_core_new,
      .not_adopted =
        "its files would not match its store; start it with an empty store and an empty folder",
    };
    return host_run (&program, argc, argv);
}
