/*  storage_main - reads the settings of a storage node's agent, and runs its host. */
#include "storage_main.h"

#include "flows.h"
#include "host.h"
#include "storage.h"
#include "storage_executor.h"
#include "storage_path.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NODE_NAME_BYTES_MAX 54 /* with "storage/" before it, it is the name of an actor */
#define SITES_MAX           16
#define WORKERS_OF_FILES    4

static const config_key_t storage_keys [] = {
  KEY_NEEDED (CONFIG_TEXT, "name", 0, 0, "the name of this storage node in its site"),
  KEY_NEEDED (CONFIG_TEXT, "replica", 0, 0,
              "endpoints of the site's svc-replica, separated by commas"),
  KEY_NEEDED (CONFIG_TEXT, "folder", 0, 0,
              "folder of its files, an absolute path; it is made when there is none"),
  KEY_INTEGER ("bytes", "107374182400", 1048576, 9e18, "bytes that its files may take in all"),
  KEY_DURATION (
    "limits/arrivals", "7d", 60000, 366.0 * 86400000,
    "what a task has left in folder/arrivals, and nobody takes in, is removed after this"),
  KEY_DURATION ("limits/look", "1m", 1000, 86400000,
                "time between two looks at its file system and its files' sizes"),
  KEY_TEXT ("bind/data", "tcp://127.0.0.1:0",
            "endpoint from which other nodes fetch its files; port 0 = any free one, none = it "
            "feeds nobody"),
  KEY_FLAG ("guest/guest", "false",
            "true: this is a client's end of one transfer, not one of the site's storage nodes"),
  KEY_TEXT ("guest/gives", NULL, "name in the federation of the file that the client gives"),
  KEY_TEXT ("guest/gives_path", NULL, "path of the file that the client gives, absolute"),
  KEY_TEXT ("guest/takes", NULL, "name in the federation of the file that the client takes"),
  KEY_TEXT ("guest/takes_path", NULL, "path that the file gets when it is verified, absolute"),
  KEY_INTEGER (
    "guest/client", "0", 0, INT32_MAX,
    "process id of the client that has started it: it ends when that one does; 0 = none"),
};

static bool path_right (const char *key, const char *path, char why [LONG_WHY_BYTES])
{
    if (*path == '/' && strlen (path) <= STORAGE_FOLDER_BYTES_MAX)
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

/*  The kernel kills this process with the client, unless that has died already. */
static bool storage_main_client_follow (int64_t client, char why [LONG_WHY_BYTES])
{
    if (client == 0 || (prctl (PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid () == client))
        return true;
    return wrong_setting (why, "guest/client: process %ld, which has started this one, is gone",
                          (long) client);
}

static bool storage_main_core_new (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    name_list_auto_t sites = {0};
    name_list_add (&sites, config_text (config, "replica"), "");
    storage_settings_t settings = {
      .name = config_text (config, "name"),
      .sites = (const char *const *) sites.words,
      .sites_count = sites.count,
      .folder = config_text (config, "folder"),
      .bytes_max = (uint64_t) config_integer (config, "bytes"),
      .guest = config_boolean (config, "guest/guest"),
      .arrivals_ms = config_duration_ms (config, "limits/arrivals"),
      .look_ms = config_duration_ms (config, "limits/look"),
      .gives_file = config_text (config, "guest/gives"),
      .gives_path = config_text (config, "guest/gives_path"),
      .takes_file = config_text (config, "guest/takes"),
      .takes_path = config_text (config, "guest/takes_path"),
    };
    bool good = storage_main_client_follow (config_integer (config, "guest/client"), why) &&
                storage_main_settings_right (&settings, why);
    if (good && !settings.guest)
        settings.room = storage_room (settings.folder);
    if (good)
        storage_core (&settings, core);
    return good;
}

int storage_main (int argc, char **argv)
{
    static const flow_part_t flow = {flows_new, flows_destroy, flows_endpoint, flows_order,
                                     flows_receive};
    host_program_t program = {
      .program = "svc-replica node",
      .keys = storage_keys,
      .keys_count = sizeof storage_keys / sizeof *storage_keys,
      .works = storage_works,
      .works_count = storage_executor_count,
      .workers = WORKERS_OF_FILES,
      .flow = &flow,
      .core_new = storage_main_core_new,
      .not_adopted =
        "its files would not match its store; start it with an empty store and an empty folder",
    };
    return host_run (&program, argc, argv);
}
