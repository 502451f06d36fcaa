/*  router_main - reads the settings of an agent and runs it in a host. */
#include "router_main.h"

#include "name_list.h"
#include "router.h"
#include "tc.h"

#define ENDPOINTS_MAX 16

static const config_key_t router_keys [] = {
  KEY_NEEDED (CONFIG_TEXT, "name", 0, 0,
              "the vertex of its domain at which this router stands, such as r1"),
  KEY_NEEDED (CONFIG_TEXT, "nis", 0, 0, "endpoints of the domain's svc-nis, separated by commas"),
  KEY_NEEDED (CONFIG_TEXT, "interfaces", 0, 0,
              "interfaces of this machine that may be shaped, separated by commas; no other is "
              "touched, whatever the domain's svc-nis says"),
  KEY_DURATION ("look", "5s", 100, SETTING_DAY_MS,
                "how often the machine is looked at and put right, in case somebody changed it"),
  KEY_DURATION ("limit", "5s", 100, 600000, "how long a command of tc or ip may take"),
};

static bool router_core_new (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    name_list_auto_t endpoints = {0};
    name_list_add (&endpoints, config_text (config, "nis"), "");
    router_settings_t settings = {.name = config_text (config, "name"),
                                  .endpoints = (const char *const *) endpoints.words,
                                  .endpoints_count = endpoints.count,
                                  .look_ms = config_duration_ms (config, "look")};
    if (!*settings.name || strlen (settings.name) > NAME_BYTES_MAX ||
        strpbrk (settings.name, " \t"))
        return wrong_setting (why, "name: \"%.80s\" should be 1 to %d bytes without blanks",
                              settings.name, NAME_BYTES_MAX);
    if (endpoints.count == 0 || endpoints.count > ENDPOINTS_MAX)
        return wrong_setting (why, "nis: give 1 to %d endpoints", ENDPOINTS_MAX);
    tc_settle (config_duration_ms (config, "limit"), config_text (config, "interfaces"));
    router_core (&settings, core);
    return true;
}

int router_main (int argc, char **argv)
{
    host_program_t program = {
      .program = "svc-nis agent",
      .keys = router_keys,
      .keys_count = sizeof router_keys / sizeof *router_keys,
      .works = tc_works,
      .works_count = tc_works_count,
      .core_new = router_core_new,
      .keeps_nothing = true,
      .not_adopted = "an agent keeps nothing",
    };
    return host_run (&program, argc, argv);
}
