/*  config - a service's settings: ZPL files (ZeroMQ RFC 4), every setting documented, unknown ones
 *  refused with file and line.
 *
 *  Tables of rows (setting.h) say what exists; each is read into its struct. A file says
 *  "classes/<name>/nodes" of a section that its user names, --help "classes/<any>/nodes" with a
 *  star for <any>.
 */
#ifndef MUSUBI_CONFIG_H
#define MUSUBI_CONFIG_H

#include "bytes.h"
#include "name_list.h"
#include "setting.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct config config_t;

/*  Reads file (NULL = none), then the settings "path=value", into a struct for each table, whose
 *  rules judge it. NULL with why = "FILE:LINE: path: what is wrong, what would be right". The
 *  tables are borrowed for life. */
config_t *config_open (const char *file, const char *const *settings, size_t settings_count,
                       const setting_table_t *const *tables, size_t tables_count,
                       char why [LONG_WHY_BYTES]);

/*  The same over text already in memory; name stands for FILE in why. */
config_t *config_open_text (const char *name, const char *text, size_t size,
                            const char *const *settings, size_t settings_count,
                            const setting_table_t *const *tables, size_t tables_count,
                            char why [LONG_WHY_BYTES]);

/*  The struct of one of these tables; it and all it points to live as long as the config. */
const void *config_settings (const config_t *self, const setting_table_t *table);

/*  Was this member of it given, or has it its default? */
bool config_given (const config_t *self, const void *member);

/*  For a contradiction found after reading: why = "FILE:LINE: path: what", with the path of this
 *  member of a struct that was read, of an array in it, or of the name of an element. Returns
 *  false. */
bool config_refuse (const config_t *self, const void *member, char why [LONG_WHY_BYTES],
                    const char *format, ...) __attribute__ ((format (printf, 4, 5)));

/*  Tells each name that is no setting any more, and stands there with the value that is so now. */
void config_warn (config_t *self, void (*line) (void *owner, const char *text), void *owner);

/*  All settings of tables with type, default and meaning, for --help. Lines end with newline. */
void settings_describe (const setting_table_t *const *tables, size_t count,
                        void (*line) (const char *text));

void config_destroy (config_t **self_p);

/*  Says why, answers false: return wrong_setting (why, "name: …"). */
bool wrong_setting (char why [LONG_WHY_BYTES], const char *format, ...)
  __attribute__ ((format (printf, 2, 3)));

/*  A name with the kind before it ("lis/ams"), of what the setting "name" says, which may have it,
 *  too. what says whose it is: "site", "domain". False with why. */
bool name_read (const char *given, const char *kind, const char *what,
                char name [NAME_BYTES_MAX + 1], char why [LONG_WHY_BYTES]);

/*  False with why when a word of this key's list is longer, or stands there twice. */
bool words_right (const name_list_t *words, const char *key, size_t bytes_max,
                  char why [LONG_WHY_BYTES]);

#endif
