/*  fuzz_config - any bytes as a configuration file. The first byte says whose: a table's with every
 *  kind of key, a service's, a federation's.
 *
 *  It is loaded, and then every value can be asked for, or it is refused with a reason that names
 *  the file. What a service's file describes becomes a core, or is refused with a reason. What a
 *  federation's file says of a site or a domain can be written for svc-lis or svc-nis, who read it.
 */
#include "federation.h"
#include "fuzzing.h"
#include "gis_config.h"
#include "lis_config.h"
#include "nis_config.h"
#include "planner_config.h"

static const config_key_t keys [] = {
  KEY_TEXT ("name", NULL, "text"),
  KEY_DURATION ("limits/hold_ttl", "60s", 1000, 3600000, "duration"),
  KEY_INTEGER ("limits/holds", "10", 1, 100, "integer"),
  KEY_REAL ("price/factor", "1.5", 0, 0, "real"),
  KEY_FLAG ("bind/trusted", "false", "boolean"),
  KEY_NEEDED (CONFIG_INTEGER, "classes/*/nodes", 1, 1e6, "in each section"),
  KEY_TEXT ("classes/*/attributes/*", NULL, "any name twice"),
};

typedef bool core_fn (const config_t *config, core_t *core, char why [LONG_WHY_BYTES]);

typedef struct {
    const config_key_t *keys;
    const size_t *count;
    core_fn *core;
} config_program_t;

static const config_program_t site = {lis_keys, &lis_keys_count, lis_core_from_config};
static const config_program_t domain = {nis_keys, &nis_keys_count, nis_core_from_config};
static const config_program_t directory = {gis_keys, &gis_keys_count, gis_core_from_config};
static const config_program_t planner = {planner_keys, &planner_keys_count,
                                         planner_core_from_config};

static void ask_all (const config_t *config)
{
    int64_t ttl_ms = config_duration_ms (config, "limits/hold_ttl");
    int64_t holds = config_integer (config, "limits/holds");
    REQUIRE (ttl_ms >= 1000 && ttl_ms <= 3600000 && holds >= 1 && holds <= 100);
    config_text (config, "name");
    config_real (config, "price/factor");
    config_boolean (config, "bind/trusted");
    const char *names [16];
    size_t count = config_names (config, "classes", names, 16);
    for (size_t i = 0; i < count && i < 16; i++) {
        char path [128];
        snprintf (path, sizeof path, "classes/%s/nodes", names [i]);
        REQUIRE (config_integer (config, path) >= 1);
    }
}

static config_t *parsed (const config_key_t *table, size_t count, const char *text, size_t size)
{
    char why [LONG_WHY_BYTES] = "";
    config_t *config = config_parse ("f.zpl", text, size, NULL, 0, table, count, why);
    REQUIRE (config || (strncmp (why, "f.zpl", 5) == 0 && memchr (why, '\0', sizeof why)));
    return config;
}

static void try_any (const char *text, size_t size)
{
    config_t *config = parsed (keys, sizeof keys / sizeof keys [0], text, size);
    if (config)
        ask_all (config);
    config_destroy (&config);
}

static void try_program (const config_program_t *program, const char *text, size_t size)
{
    config_t *config = parsed (program->keys, *program->count, text, size);
    core_t core;
    char why [LONG_WHY_BYTES] = "";
    if (config && program->core (config, &core, why))
        core.destroy (core.self);
    else
        REQUIRE (!config || (why [0] != '\0' && memchr (why, '\0', sizeof why)));
    config_destroy (&config);
}

/*  A section of a federation, as it goes into the file of the service that it describes. */
static void try_section (const federation_t *federation, const config_program_t *program,
                         const char *name)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream (&text, &size);
    if (!to)
        abort ();
    federation_write_value (to, 0, "name", name);
    if (program == &site)
        federation_write_site (federation, name, "root", "nobody", to);
    else
        federation_write_domain (federation, name, "root", to);
    fclose (to);
    config_t *config = parsed (program->keys, *program->count, text, size);
    REQUIRE (config);
    config_destroy (&config);
    try_program (program, text, size);
    free (text);
}

static void try_federation (const char *text, size_t size)
{
    char why [LONG_WHY_BYTES] = "";
    federation_t *federation = federation_read ("f.zpl", text, size, why);
    if (!federation) {
        REQUIRE (strncmp (why, "f.zpl", 5) == 0 && memchr (why, '\0', sizeof why));
        return;
    }
    const char *const *names;
    size_t count = federation_names (federation, "lis", &names);
    for (size_t i = 0; i < count; i++)
        try_section (federation, &site, names [i]);
    count = federation_names (federation, "nis", &names);
    for (size_t i = 0; i < count; i++)
        try_section (federation, &domain, names [i]);
    REQUIRE (federation_names (federation, "gis", &names) > 0);
    REQUIRE (federation_planners (federation) > 0);
    federation_destroy (&federation);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    if (size == 0)
        return FUZZ_UNWANTED;
    const char *text = (const char *) data + 1;
    switch (data [0]) {
    case 'c':
        try_any (text, size - 1);
        return 0;
    case 's':
        try_program (&site, text, size - 1);
        return 0;
    case 'd':
        try_program (&domain, text, size - 1);
        return 0;
    case 'g':
        try_program (&directory, text, size - 1);
        return 0;
    case 'p':
        try_program (&planner, text, size - 1);
        return 0;
    case 'f':
        try_federation (text, size - 1);
        return 0;
    default:
        return FUZZ_UNWANTED;
    }
}
