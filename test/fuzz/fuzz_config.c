/*  fuzz_config - any bytes as a configuration file, held against a table with every kind of key.
 *
 *  It is loaded, and then every value can be asked for, or it is refused with a reason that names
 *  the file.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const config_key_t keys [] = {
  {.path = "name", .meaning = "text"},
  {.path = "limits/hold_ttl",
   .type = CONFIG_DURATION,
   .preset = "60s",
   .least = 1000,
   .most = 3600000,
   .meaning = "duration"},
  {.path = "limits/holds",
   .type = CONFIG_INTEGER,
   .preset = "10",
   .least = 1,
   .most = 100,
   .meaning = "integer"},
  {.path = "price/factor", .type = CONFIG_REAL, .preset = "1.5", .meaning = "real"},
  {.path = "bind/trusted", .type = CONFIG_BOOLEAN, .preset = "false", .meaning = "boolean"},
  {.path = "classes/*/nodes",
   .type = CONFIG_INTEGER,
   .required = true,
   .least = 1,
   .most = 1e6,
   .meaning = "in each section"},
  {.path = "classes/*/attributes/*", .meaning = "any name twice"},
};

static void ask_all (const config_t *config)
{
    int64_t ttl_ms = config_duration_ms (config, "limits/hold_ttl");
    int64_t holds = config_integer (config, "limits/holds");
    if (ttl_ms < 1000 || ttl_ms > 3600000 || holds < 1 || holds > 100)
        abort ();
    config_text (config, "name");
    config_real (config, "price/factor");
    config_boolean (config, "bind/trusted");
    const char *names [16];
    size_t count = config_names (config, "classes", names, 16);
    for (size_t i = 0; i < count; i++) {
        char path [128];
        snprintf (path, sizeof path, "classes/%s/nodes", names [i]);
        if (config_integer (config, path) < 1)
            abort ();
    }
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    char why [CONFIG_WHY_BYTES] = "";
    config_t *config = config_parse ("f.zpl", (const char *) data, size, NULL, 0, keys,
                                     sizeof keys / sizeof keys [0], why);
    if (config)
        ask_all (config);
    else if (strncmp (why, "f.zpl", 5) != 0 || strlen (why) >= CONFIG_WHY_BYTES)
        abort ();
    config_destroy (&config);
    return 0;
}
