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

typedef struct {
    const char *name;
    const char *value;
} fuzz_attribute_t;

static const setting_t attribute_rows [] = {
  SET_NAME (fuzz_attribute_t, name),
  SET_TEXT (fuzz_attribute_t, value, "", NULL, "any name twice"),
};
static const setting_table_t fuzz_attributes =
  SETTING_TABLE (fuzz_attribute_t, attribute_rows, NULL);

typedef struct {
    const char *name;
    uint32_t nodes;
    fuzz_attribute_t *attributes;
    size_t attributes_count;
} fuzz_class_t;

static const setting_t class_rows [] = {
  SET_NAME (fuzz_class_t, name),
  SET_COUNT_NEEDED (fuzz_class_t, nodes, "nodes", 1, 1000000, "in each section"),
  SET_EACH (fuzz_class_t, attributes, attributes_count, "attributes", fuzz_attribute_t,
            &fuzz_attributes, 32),
};
static const setting_table_t fuzz_classes = SETTING_TABLE (fuzz_class_t, class_rows, NULL);

typedef struct {
    const char *name;
    int64_t hold_ttl_ms;
    uint32_t holds;
    int64_t doubt_ms;
    double factor;
    bool trusted;
    fuzz_class_t *classes;
    size_t classes_count;
} fuzz_settings_t;

static const setting_t fuzz_rows [] = {
  SET_TEXT (fuzz_settings_t, name, "name", NULL, "text"),
  SET_DURATION (fuzz_settings_t, hold_ttl_ms, "limits/hold_ttl", MS_MINUTE, MS_SECOND, MS_HOUR,
                "duration"),
  SET_COUNT (fuzz_settings_t, holds, "limits/holds", 10, 1, 100, "integer"),
  SET_FIXED_DURATION (fuzz_settings_t, doubt_ms, "limits/doubt", 2 * MS_SECOND),
  SET_REAL (fuzz_settings_t, factor, "price/factor", 2, 3, 0, 100, "real"),
  SET_FLAG (fuzz_settings_t, trusted, "bind/trusted", false, "boolean"),
  SET_EACH (fuzz_settings_t, classes, classes_count, "classes", fuzz_class_t, &fuzz_classes, 16),
};
static const setting_table_t fuzz_table = SETTING_TABLE (fuzz_settings_t, fuzz_rows, NULL);

typedef bool core_fn (const config_t *config, core_t *core, char why [LONG_WHY_BYTES]);

typedef struct {
    const setting_table_t *table;
    core_fn *core;
} config_program_t;

static const config_program_t site = {&lis_file_table, lis_core_from_config};
static const config_program_t domain = {&nis_file_table, nis_core_from_config};
static const config_program_t directory = {&gis_file_table, gis_core_from_config};
static const config_program_t planner = {&planner_file_table, planner_core_from_config};

static void look (void *owner, const char *text)
{
    (void) owner;
    REQUIRE (strncmp (text, "f.zpl:", 6) == 0);
}

static void ask_all (config_t *config)
{
    const fuzz_settings_t *read = config_settings (config, &fuzz_table);
    REQUIRE (read->hold_ttl_ms >= 1000 && read->hold_ttl_ms <= 3600000);
    REQUIRE (read->holds >= 1 && read->holds <= 100 && read->doubt_ms == 2000);
    for (size_t i = 0; i < read->classes_count; i++) {
        char why [LONG_WHY_BYTES];
        const fuzz_class_t *class = &read->classes [i];
        REQUIRE (class->name && class->nodes >= 1 && class->attributes_count <= 32);
        REQUIRE (config_given (config, &class->nodes));
        config_refuse (config, &class->name, why, "as an example");
        REQUIRE (strncmp (why, "f.zpl:", 6) == 0);
    }
    config_warn (config, look, NULL);
}

/*  The table must live as long as the config. */
static config_t *parsed (const setting_table_t *const *table, const char *text, size_t size)
{
    char why [LONG_WHY_BYTES] = "";
    config_t *config = config_open_text ("f.zpl", text, size, NULL, 0, table, 1, why);
    REQUIRE (config || (strncmp (why, "f.zpl", 5) == 0 && memchr (why, '\0', sizeof why)));
    return config;
}

static void try_any (const char *text, size_t size)
{
    const setting_table_t *table = &fuzz_table;
    config_t *config = parsed (&table, text, size);
    if (config)
        ask_all (config);
    config_destroy (&config);
}

static void try_program (const config_program_t *program, const char *text, size_t size)
{
    config_t *config = parsed (&program->table, text, size);
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
    config_t *config = parsed (&program->table, text, size);
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
