/*  storage_main - reads the settings of a storage node's agent, or the arguments of a guest, and
 *  runs its host.
 */
#include "storage_main.h"

#include "flows.h"
#include "host.h"
#include "must.h"
#include "storage.h"
#include "storage_executor.h"
#include "storage_path.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define EXIT_USAGE          2
#define NODE_NAME_BYTES_MAX 54 /* with "storage/" before it, it is the name of an actor */
#define SITES_MAX           16
#define WORKERS_OF_FILES    4

typedef struct {
    storage_settings_t settings;
    const char *replica;
} storage_file_t;

static const setting_t storage_file_rows [] = {
  SET_TEXT_NEEDED (storage_file_t, settings.name, "name",
                   "the name of this storage node in its site"),
  SET_TEXT_NEEDED (storage_file_t, replica, "replica",
                   "endpoints of the site's svc-replica, separated by commas"),
  SET_TEXT_NEEDED (storage_file_t, settings.folder, "folder",
                   "folder of its files, an absolute path; it is made when there is none"),
  SET_COUNT (storage_file_t, settings.bytes_max, "bytes", 107374182400, 1048576,
             INT64_C (9000000000000000000), "bytes that its files may take in all"),
  SET_FIXED_DURATION (storage_file_t, settings.arrivals_ms, "limits/arrivals", 7 * MS_DAY),
  SET_DURATION (storage_file_t, settings.look_ms, "limits/look", MS_MINUTE, MS_SECOND, MS_DAY,
                "time between two looks at its file system and its files' sizes"),
};
static const setting_table_t storage_file_table =
  SETTING_TABLE (storage_file_t, storage_file_rows, NULL);

static bool path_right (const char *what, const char *path, char why [LONG_WHY_BYTES])
{
    if (*path == '/' && strlen (path) <= STORAGE_FOLDER_BYTES_MAX)
        return true;
    return wrong_setting (why, "%s: \"%.80s\" should be an absolute path", what, path);
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
    if (!path_right ("folder", settings->folder, why))
        return false;
    if (!storage_folders_make (settings->folder))
        return wrong_setting (why, "folder: \"%.200s\" can't be made: %s", settings->folder,
                              strerror (errno));
    return true;
}

static bool storage_main_core_new (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    const storage_file_t *file = config_settings (config, &storage_file_table);
    storage_settings_t settings = file->settings;
    name_list_auto_t sites = name_list_of (file->replica, "");
    settings.sites = (const char *const *) sites.words;
    settings.sites_count = sites.count;
    if (!storage_main_settings_right (&settings, why))
        return false;
    settings.room = storage_room (settings.folder);
    storage_core (&settings, core);
    return true;
}

/*  With what both programs have. */
static int storage_run (host_program_t program, int argc, char **argv)
{
    static const flow_part_t flow = {flows_new, flows_destroy, flows_endpoint, flows_order,
                                     flows_receive};
    program.works = storage_works;
    program.works_count = storage_executor_count;
    program.workers = WORKERS_OF_FILES;
    program.flow = &flow;
    return host_run (&program, argc, argv);
}

int storage_main (int argc, char **argv)
{
    return storage_run (
      (host_program_t){.program = "svc-replica node",
                       .settings = &storage_file_table,
                       .core_new = storage_main_core_new,
                       .states = (const state_table_t *const []){&receipt_states, NULL},
                       .not_adopted = "its files would not match its store; start it with an empty "
                                      "store and an empty folder"},
      argc, argv);
}

/*  --- a client's end --- */

/*  Its arguments, as storage_main.h tells them. */
enum {
    GUEST_CLIENT = 1,
    GUEST_NAME,
    GUEST_SITE,
    GUEST_FOLDER,
    GUEST_BYTES,
    GUEST_BIND,
    GUEST_VERB,
    GUEST_FILE,
    GUEST_PATH,
    GUEST_ARGUMENTS
};

static storage_settings_t guest;          /* what this process was told, if it is one */
static const setting_table_t guest_table; /* it has no settings of its own */

static bool guest_core_new (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    (void) config;
    if (!path_right ("file", guest.gives_path ? guest.gives_path : guest.takes_path, why) ||
        !storage_main_settings_right (&guest, why))
        return false;
    storage_core (&guest, core);
    return true;
}

/*  The kernel kills this process with the client, unless that has died already. */
static bool client_follow (const char *client)
{
    return prctl (PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid () == strtol (client, NULL, 10);
}

int storage_guest (int argc, char **argv)
{
    const char *wrong = argc != GUEST_ARGUMENTS ? "only musubi starts it, for a transfer"
                        : !client_follow (argv [GUEST_CLIENT])
                          ? "the process that has started it is gone"
                          : NULL;
    if (wrong) {
        fprintf (stderr, "svc-replica guest: %s\n", wrong);
        return EXIT_USAGE;
    }
    text_auto_t *folder = must_print ("%s/node", argv [GUEST_FOLDER]);
    text_auto_t *store = must_print ("store/folder=%s/store", argv [GUEST_FOLDER]);
    text_auto_t *data = must_print ("bind/data=%s", argv [GUEST_BIND]);
    char set [] = "--set", trusted [] = "bind/trusted=true", bytes [] = "store/bytes=16777216";
    char *settings [] = {argv [0], set, store, set, data, set, trusted, set, bytes, NULL};
    bool gives = strcmp (argv [GUEST_VERB], "gives") == 0;
    guest = (storage_settings_t){.name = argv [GUEST_NAME],
                                 .sites = (const char *const *) &argv [GUEST_SITE],
                                 .sites_count = 1,
                                 .folder = folder,
                                 .bytes_max = strtoull (argv [GUEST_BYTES], NULL, 10),
                                 .guest = true};
    *(gives ? &guest.gives_file : &guest.takes_file) = argv [GUEST_FILE];
    *(gives ? &guest.gives_path : &guest.takes_path) = argv [GUEST_PATH];
    return storage_run ((host_program_t){.program = "svc-replica guest",
                                         .settings = &guest_table,
                                         .core_new = guest_core_new},
                        sizeof settings / sizeof *settings - 1, settings);
}
