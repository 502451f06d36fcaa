/*  config - a service's settings: ZPL files (ZeroMQ RFC 4), every key documented, unknown keys
 *  refused with file and line.
 *
 *  A table of keys says what exists. "*" in a path matches any name, for sections that the user
 *  names: "classes/<name>/nodes" is documented as "classes/<any>/nodes" with a star for <any>.
 */
#ifndef MUSUBI_CONFIG_H
#define MUSUBI_CONFIG_H

#include "bytes.h"
#include "name_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    CONFIG_TEXT,
    CONFIG_INTEGER,
    CONFIG_REAL,
    CONFIG_BOOLEAN,
    CONFIG_DURATION
} config_type_t;

typedef struct {
    const char *path;   /* "limits/hold_ttl" */
    config_type_t type; /* durations as timetext.h has them; kept in ms */
    bool required;      /* must be given */
    const char *preset; /* used when absent; NULL = none */
    double least;       /* of integers, reals, durations (ms); least = most = 0: no bounds */
    double most;
    const char *meaning; /* with its unit; printed by --help */
} config_key_t;

/*  Bounds of many. */
#define SETTING_DAY_MS     86400000.0
#define SETTING_COUNT_MOST 1e9
#define SETTING_BYTES_MOST (double) ((uint64_t) 1 << 44)

/*  Rows of a table of keys. Without a preset (NULL) a key may be absent; one that is needed has
 *  none, and bounds only where it is a number. */
#define KEY_NUMBER(type_, path_, preset_, least_, most_, meaning_)                                 \
    {                                                                                              \
        .path = (path_), .type = (type_), .preset = (preset_), .least = (least_), .most = (most_), \
        .meaning = (meaning_)                                                                      \
    }
#define KEY_TEXT(path_, preset_, meaning_) KEY_NUMBER (CONFIG_TEXT, path_, preset_, 0, 0, meaning_)
#define KEY_FLAG(path_, preset_, meaning_)                                                         \
    KEY_NUMBER (CONFIG_BOOLEAN, path_, preset_, 0, 0, meaning_)
#define KEY_INTEGER(path_, preset_, least_, most_, meaning_)                                       \
    KEY_NUMBER (CONFIG_INTEGER, path_, preset_, least_, most_, meaning_)
#define KEY_REAL(path_, preset_, least_, most_, meaning_)                                          \
    KEY_NUMBER (CONFIG_REAL, path_, preset_, least_, most_, meaning_)
#define KEY_DURATION(path_, preset_, least_, most_, meaning_)                                      \
    KEY_NUMBER (CONFIG_DURATION, path_, preset_, least_, most_, meaning_)
#define KEY_NEEDED(type_, path_, least_, most_, meaning_)                                          \
    {                                                                                              \
        .path = (path_), .type = (type_), .required = true, .least = (least_), .most = (most_),    \
        .meaning = (meaning_)                                                                      \
    }

typedef struct config config_t;

/*  Reads file (NULL = none), then the settings "path=value". NULL with why = "FILE:LINE: key: what
 *  is wrong, what would be right". The keys are borrowed for life. */
config_t *config_load (const char *file, const char *const *settings, size_t settings_count,
                       const config_key_t *keys, size_t keys_count, char why [LONG_WHY_BYTES]);
void config_destroy (config_t **self_p);

/*  The same over text already in memory; name stands for FILE in why. */
config_t *config_parse (const char *name, const char *text, size_t size,
                        const char *const *settings, size_t settings_count,
                        const config_key_t *keys, size_t keys_count, char why [LONG_WHY_BYTES]);

/*  The value at a path, or its preset. The path must be one of the keys (stars filled in): asking
 *  for another, or for another type, is our mistake and asserts. Absent without preset, text is
 *  NULL and numbers are 0. */
const char *config_text (const config_t *self, const char *path);
int64_t config_integer (const config_t *self, const char *path);
double config_real (const config_t *self, const char *path);
bool config_boolean (const config_t *self, const char *path);
int64_t config_duration_ms (const config_t *self, const char *path);
bool config_has (const config_t *self, const char *path);

/*  Is this path one of the keys at all? */
bool config_describes (const config_t *self, const char *path);

/*  Names under a section ("classes"), in file order. Returns how many; the names live with config.
 */
size_t config_names (const config_t *self, const char *section, const char **names,
                     size_t names_max);

/*  For a contradiction found after loading: why = "FILE:LINE: path: what", with the line of the
 *  path or of the nearest section above it that the file has, or "--set path: what" if the value
 *  was set there. Returns false. */
bool config_wrong (const config_t *self, const char *path, char why [LONG_WHY_BYTES],
                   const char *format, ...) __attribute__ ((format (printf, 4, 5)));

/*  All keys with type, default and meaning, for --help. Lines end with newline. */
void config_describe (const config_key_t *keys, size_t keys_count, void (*line) (const char *text));

/*  Says why, answers false: return wrong_setting (why, "name: …"). */
bool wrong_setting (char why [LONG_WHY_BYTES], const char *format, ...)
  __attribute__ ((format (printf, 2, 3)));

/*  A name with the kind before it ("lis/ams"), from the key "name", which may have it, too. what
 *  says whose it is: "site", "domain". False with why. */
bool config_name_read (const config_t *config, const char *kind, const char *what,
                       char name [NAME_BYTES_MAX + 1], char why [LONG_WHY_BYTES]);

/*  False with why when a word of this key's list is longer, or stands there twice. */
bool words_right (const name_list_t *words, const char *key, size_t bytes_max,
                  char why [LONG_WHY_BYTES]);

#endif
