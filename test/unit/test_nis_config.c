/*  test_nis_config - a domain's file is taken as meant, or refused with what would be right. */
#include "nis_config.h"

#include "domain.h"
#include "nis.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char whole [] = "name = N\n"
                             "gis = \"sim://g1, sim://g2\"\n"
                             "sites = \"n8, n16\"\n"
                             "exchanges = \"X1, X2\"\n"
                             "routers = \"r1, r2\"\n"
                             "attributes\n"
                             "    X1\n"
                             "        location = paris\n"
                             "    r1\n"
                             "        vendor = acme\n"
                             "links\n"
                             "    n8-n16\n"
                             "        between = \"n8, n16\"\n"
                             "        mbps = 5000\n"
                             "        latency_ms = 0.5\n"
                             "        price = 0.005\n"
                             "        attributes\n"
                             "            media = fibre\n"
                             "            availability = 0.999\n"
                             "    r1-x1\n"
                             "        between = \"r1, X1\"\n"
                             "        mbps = 400\n"
                             "provision = start\n"
                             "disclosure = windows\n"
                             "lead = 10s\n"
                             "horizon = 30d\n"
                             "accounts\n"
                             "    guest = \"*\"\n"
                             "administrators = \"root, carol\"\n"
                             "limits\n"
                             "    holds_max = 1000\n";

/*  The core of a file; false with why where it is refused. */
static bool core_of (const char *text, const char *const *settings, size_t settings_count,
                     core_t *core, char why [LONG_WHY_BYTES])
{
    static const setting_table_t *const tables [] = {&nis_file_table};
    config_t *config =
      config_open_text ("N.zpl", text, strlen (text), settings, settings_count, tables, 1, why);
    if (!config)
        return false;
    bool good = nis_core_from_config (config, core, why);
    config_destroy (&config);
    return good;
}

static const moment_t now = {.wall_ms = INT64_C (1700000000000),
                             .mono_ms = 1000,
                             .store_free_bytes = 1 << 30,
                             .store_bytes = 1 << 30};

static void start (core_t *core)
{
    assert (core->step && core->next);
    event_t event = {.kind = EVENT_START,
                     .start = {.store = {.id = {1}, .start = 1},
                               .endpoint = "sim://nis/N",
                               .events = "sim://nis/N/events"}};
    core->step (core->self, &now, &event);
    effect_t effect;
    while (core->next (core->self, &effect)) {
    }
}

static void a_file_says_what_the_domain_is (void **state)
{
    (void) state;
    core_t core = {0};
    char why [LONG_WHY_BYTES];
    assert_true (core_of (whole, NULL, 0, &core, why));
    start (&core);
    const nis_t *nis = core.self;
    assert_string_equal (nis->provider.service->name, "nis/N");
    const domain_t *domain = &nis->domain;
    assert_int_equal (domain->disclosure, DISCLOSE_WINDOWS);
    assert_int_equal (domain->lead_ms, 10000);
    assert_int_equal (domain->horizon_ms, INT64_C (30) * 86400000);
    static const struct {
        const char *name;
        vertex_kind_t kind;
        const char *attribute; /* its value */
    } vertices [] = {
      {"n8", VERTEX_SITE, NULL},        {"n16", VERTEX_SITE, NULL},
      {"X1", VERTEX_EXCHANGE, "paris"}, {"X2", VERTEX_EXCHANGE, NULL},
      {"N/r1", VERTEX_ROUTER, "acme"},  {"N/r2", VERTEX_ROUTER, NULL},
    };
    assert_int_equal (domain->vertices_count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal (domain->vertices [i].name, vertices [i].name);
        assert_int_equal (domain->vertices [i].kind, vertices [i].kind);
        assert_int_equal (domain->vertices [i].attributes_count, vertices [i].attribute != NULL);
        if (vertices [i].attribute)
            assert_string_equal (domain->vertices [i].attributes [0].value, vertices [i].attribute);
    }
    assert_int_equal (domain->links_count, 2);
    const link_t *first = &domain->links [0];
    assert_string_equal (first->name, "n8-n16");
    assert_string_equal (first->ends [0], "n8");
    assert_string_equal (first->ends [1], "n16");
    assert_int_equal (first->mbps, 5000);
    assert_int_equal (first->latency_us, 500);
    assert_int_equal (first->price, 5000);
    assert_int_equal (first->attributes_count, 2);
    assert_string_equal (first->attributes [1].name, "availability");
    assert_string_equal (first->attributes [1].value, "0.999");
    const link_t *second = &domain->links [1];
    assert_string_equal (second->ends [0], "N/r1"); /* by its local name */
    assert_string_equal (second->ends [1], "X1");
    assert_int_equal (second->latency_us, 1000);
    assert_int_equal (second->price, 0);
    core.destroy (core.self);
}

static void the_least_file_is_a_name (void **state)
{
    (void) state;
    static const char *const settings [] = {"name=nis/N"};
    core_t core = {0};
    char why [LONG_WHY_BYTES];
    assert_true (core_of ("", settings, 1, &core, why));
    start (&core);
    const nis_t *nis = core.self;
    assert_string_equal (nis->provider.service->name, "nis/N"); /* the kind may be written or not */
    assert_int_equal (nis->domain.links_count, 0);
    assert_int_equal (nis->domain.disclosure, DISCLOSE_PROFILE);
    assert_int_equal (nis->domain.lead_ms, 5000);
    core.destroy (core.self);
}

static void takes_what_was_a_setting_as_it_is_now (void **state)
{
    (void) state;
    static const char *const settings [] = {
      "name=N",
      "limits/fresh_steps_max=8192",
      "limits/profile_steps_max=32768",
      "limits/windows_max=4096",
      "limits/paths_max=256",
      "agents/silent=3s",
      "agents/attend=1250ms",
    };
    core_t core = {0};
    char why [LONG_WHY_BYTES];
    assert_true (core_of ("", settings, sizeof settings / sizeof *settings, &core, why));
    core.destroy (core.self);
    nis_settings_t preset = SETTINGS_PRESET (nis_settings_t, &nis_table);
    assert_int_equal (preset.routers.attend_ms, 5000);
    assert_int_equal (preset.routers.lost_ms, 24000);
    assert_int_equal (preset.provider.limits.questions.resources_max, DOMAIN_LINKS_MAX);
}

static void refuses_what_makes_no_domain (void **state)
{
    (void) state;
    static const struct {
        const char *setting;
        const char *why; /* a part of it */
    } cases [] = {
      {"name=", "name"},
      {"name=a/b", "name: \"a/b\" is no domain name"},
      {"name=0123456789012345678901234567890123456789012345678901234567890", "1 to 59 letters"},
      {"disclosure=all", "disclosure: 'all' is not profile or windows"},
      {"lead=1h", "horizon: must be longer than lead"},
      {"provision=never", "provision: 'never' is not asked or start"},
      {"limits/profile_steps_max=100", "is no setting any more: it is fixed at 32768"},
      {"limits/windows_max=4097", "is no setting any more: it is fixed at 4096"},
      {"limits/paths_max=0", "is no setting any more: it is fixed at 256"},
      {"agents/attend=6s", "is no setting any more: it is five twelfths of agents/silent, 5s"},
      {"agents/silent=100ms", "from 200ms to 1h"},
      {"back_end=agent", "back_end: 'agent' is not none or agents"},
      {"sites=a, b, a", "a is given twice among sites, exchanges and routers"},
      {"routers=b", "b is given twice among sites, exchanges and routers"},
      {"exchanges=x/y", "exchange point \"x/y\""},
      {"sites=0123456789012345678901234567890123456789012345678901234567890123",
       "sites: 0123456789012345678901234567890123456789012345678901234567890123 is longer than 63"},
      {"routers=01234567890123456789012345678901234567890123456789012345678901",
       "routers: N/01234567890123456789012345678901234567890123456789012345678901 is longer"},
      {"attributes/c/x=y", "attributes/c: no site, exchange point or router is called c"},
      {"attributes/a/x=", "attributes/a/x: an attribute has"},
      {"links/l/between=a", "links/l/between: should be two vertices"},
      {"links/l/between=a, b, a", "links/l/between: should be two vertices"},
      {"links/l/between=a, c", "links/l/between: \"c\" should be one of sites, exchanges, routers"},
      {"links/l/between=a, N/b", "\"N/b\" should be one of"},
      {"links/l/between=a, a", "links/l/between: both ends are a"},
      {"links/l/mbps=-1", "links/l/mbps"},
      {"links/l/mbps=1000000001", "links/l/mbps"},
      {"links/l/mbps=much", "links/l/mbps"},
      {"links/l/latency_ms=-0.1", "links/l/latency_ms"},
      {"links/l/latency_ms=60001", "links/l/latency_ms"},
      {"links/l/price=-1", "links/l/price"},
      {"links/l/speed=1", "links/l/speed"},
      {"links/m/mbps=1", "links/m/between"},
      {"links/l/attributes/media=", "links/l/attributes/media"},
      {"accounts/x=0123456789012345678901234567890123456789012345678901234567890123",
       "is longer than 63 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *settings [] = {cases [i].setting};
        core_t core = {0};
        char why [LONG_WHY_BYTES] = "";
        static const char base [] = "name = N\nhorizon = 1h\nsites = \"a, b\"\nlinks\n    l\n"
                                    "        between = \"a, b\"\n        mbps = 1\n";
        assert_false (core_of (base, settings, 1, &core, why));
        if (!strstr (why, cases [i].why))
            print_message ("%s: %s\n", cases [i].setting, why);
        assert_non_null (strstr (why, cases [i].why));
    }
}

/*  With the back end agents each link has an interface, and each end of circuits addresses. */
static void refuses_what_agents_can_not_shape (void **state)
{
    (void) state;
    static const struct {
        const char *setting;
        const char *why; /* how it begins, behind where it is; NULL = it is taken */
    } cases [] = {
      {"agents/silent=12s", NULL},
      {"prefixes/x=10.3.0.0/16", "prefixes/x: no site or exchange point is called so"},
      {"prefixes/a=10.3.0.0/33", "prefixes/a: \"10.3.0.0/33\" should be IPv4 addresses"},
      {"prefixes/a=", "prefixes/a: give 1 to 16 of them"},
      {"exchanges=X", "prefixes: X is missing: with back_end = agents each site and exchange"},
      {"links/l/interfaces/c=eth0", "links/l/interfaces/c: \"c\" should be an end of the link"},
      {"links/l/interfaces/r=", "links/l/interfaces/r: \"\" should be an interface"},
      {"links/m/interfaces/r=eth0", "links/m/interfaces: eth0 is that of link l already"},
      {"routers=r, q", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *settings [] = {cases [i].setting};
        core_t core = {0};
        char why [LONG_WHY_BYTES] = "";
        static const char base [] =
          "name = N\nback_end = agents\nsites = \"a, b\"\nrouters = r\nlinks\n    l\n"
          "        between = \"a, r\"\n        mbps = 1\n        interfaces\n"
          "            r = eth0\n    m\n        between = \"r, b\"\n        mbps = 1\n"
          "        interfaces\n            r = eth1\nprefixes\n    a = \"10.1.0.0/16\"\n"
          "    b = \"10.2.0.0/16\"\n";
        bool taken = core_of (base, settings, 1, &core, why);
        if (taken != !cases [i].why || (cases [i].why && !strstr (why, cases [i].why)))
            fail_msg ("%s: %s", cases [i].setting, why);
        if (taken)
            core.destroy (core.self);
    }
}

/*  As every other fault of a file, with its line. */
static void tells_where_in_the_file_a_graph_is_wrong (void **state)
{
    (void) state;
    static const struct {
        const char *text;
        const char *why; /* how it begins, behind the file's name */
    } cases [] = {
      {"name = N\nsites = \"a, b\"\nlinks\n    l\n        between = \"a, c\"\n        mbps = 1\n",
       ":5: links/l/between: \"c\" should be one of"},
      {"name = N\nsites = \"a, b\"\nlinks\n    l\n        between = \"a, a\"\n        mbps = 1\n",
       ":5: links/l/between: both ends are a"},
      {"name = N\nsites = \"a, b\"\nexchanges = \"x, a\"\n", ":3: exchanges: a is given twice"},
      {"name = N\nsites = a\nexchanges = \"x/y\"\n", ":3: exchanges: exchange point \"x/y\""},
      {"name = N\nsites = a\nattributes\n    c\n        x = y\n",
       ":4: attributes/c: no site, exchange point or router is called c"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        core_t core = {0};
        char why [LONG_WHY_BYTES] = "";
        assert_false (core_of (cases [i].text, NULL, 0, &core, why));
        const char *behind = strchr (why, ':');
        if (!behind || strncmp (behind, cases [i].why, strlen (cases [i].why)) != 0)
            fail_msg ("%s", why);
    }
}

/*  A text with so many links between two sites; the caller frees it. */
static char *text_of (size_t links_count)
{
    size_t room = 256 + links_count * 256;
    char *text = malloc (room);
    assert_non_null (text);
    size_t size = (size_t) snprintf (text, room, "name = N\nsites = \"a, b\"\nlinks\n");
    for (size_t i = 0; i < links_count; i++)
        size += (size_t) snprintf (text + size, room - size,
                                   "    l%zu\n        between = \"a, b\"\n        mbps = %zu\n"
                                   "        latency_ms = 0.001\n        price = 1\n"
                                   "        attributes\n            media = fibre\n",
                                   i, i);
    return text;
}

static void takes_as_many_links_as_a_domain_may_have_and_no_more (void **state)
{
    (void) state;
    core_t core = {0};
    char why [LONG_WHY_BYTES] = "";
    char *text = text_of (DOMAIN_LINKS_MAX);
    assert_true (core_of (text, NULL, 0, &core, why));
    start (&core);
    const nis_t *nis = core.self;
    assert_int_equal (nis->domain.links_count, DOMAIN_LINKS_MAX);
    assert_string_equal (nis->domain.links [DOMAIN_LINKS_MAX - 1].name, "l4095");
    assert_int_equal (nis->domain.links [DOMAIN_LINKS_MAX - 1].mbps, 4095);
    core.destroy (core.self);
    free (text);
    text = text_of (DOMAIN_LINKS_MAX + 1);
    assert_false (core_of (text, NULL, 0, &core, why));
    assert_non_null (strstr (why, "links: at most 4096 of them are allowed"));
    free (text);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_file_says_what_the_domain_is),
      cmocka_unit_test (the_least_file_is_a_name),
      cmocka_unit_test (takes_what_was_a_setting_as_it_is_now),
      cmocka_unit_test (refuses_what_makes_no_domain),
      cmocka_unit_test (refuses_what_agents_can_not_shape),
      cmocka_unit_test (tells_where_in_the_file_a_graph_is_wrong),
      cmocka_unit_test (takes_as_many_links_as_a_domain_may_have_and_no_more),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
