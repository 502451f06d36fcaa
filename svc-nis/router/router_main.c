/*  router_main - reads the settings of an agent and runs it in a host. */
#include "router_main.h"

#include "name_list.h"
#include "router.h"
#include "tc.h"

#define ENDPOINTS_MAX 16

typedef struct {
    const char *name;
    const char *nis;
    const char *interfaces;
    int64_t look_ms;
    int64_t limit_ms;
} router_file_t;

static const setting_t router_file_rows [] = {
  SET_TEXT_NEEDED (router_file_t, name, "name",
                   "the vertex of its domain at which this router stands, such as r1"),
  SET_TEXT_NEEDED (router_file_t, nis, "nis",
                   "endpoints of the domain's svc-nis, separated by commas"),
  SET_TEXT_NEEDED (
    router_file_t, interfaces, "interfaces",
    "interfaces of this machine that may be shaped, separated by commas; no other is "
    "touched, whatever the domain's svc-nis says"),
  SET_DURATION (router_file_t, look_ms, "look", 5 * MS_SECOND, 100, MS_DAY,
                "how often the machine is looked at and put right, in case somebody changed it"),
  SET_DURATION (router_file_t, limit_ms, "limit", 5 * MS_SECOND, 100, 10 * MS_MINUTE,
                "how long a command of tc or ip may take"),
};
static const setting_table_t router_file_table =
  SETTING_TABLE (router_file_t, router_file_rows, NULL);

static bool router_core_new (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    const router_file_t *file = config_settings (config, &router_file_table);
    name_list_auto_t endpoints = name_list_of (file->nis, "");
    router_settings_t settings = {.name = file->name,
                                  .endpoints = (const char *const *) endpoints.words,
                                  .endpoints_count = endpoints.count,
                                  .look_ms = file->look_ms};
    if (!*settings.name || strlen (settings.name) > NAME_BYTES_MAX ||
        strpbrk (settings.name, " \t"))
        return wrong_setting (why, "name: \"%.80s\" should be 1 to %d bytes without blanks",
                              settings.name, NAME_BYTES_MAX);
    if (endpoints.count == 0 || endpoints.count > ENDPOINTS_MAX)
        return wrong_setting (why, "nis: give 1 to %d endpoints", ENDPOINTS_MAX);
    tc_settle (file->limit_ms, file->interfaces);
    router_core (&settings, core);
    return true;
}

int router_main (int argc, char **argv)
{
    host_program_t program = {
      .program = "svc-nis agent",
      .settings = &router_file_table,
      .works = tc_works,
      .works_count = tc_works_count,
      .core_new = router_core_new,
      .keeps_nothing = true,
      .not_adopted = "an agent keeps nothing",
    };
    return host_run (&program, argc, argv);
}
