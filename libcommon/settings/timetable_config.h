/*  timetable_config - what a site and a network domain have in common in their files: who may
 *  reserve there and who administers it, the terms of its bookings, and the limits of the questions
 *  about them.
 */
#ifndef MUSUBI_TIMETABLE_CONFIG_H
#define MUSUBI_TIMETABLE_CONFIG_H

#include "participant_config.h"
#include "site.h"
#include "timetable.h"

/*  Rows for a service's own table of keys. */
#define TIMETABLE_CONFIG_KEYS                                                                      \
    KEY_TEXT ("disclosure", "profile",                                                             \
              "profile: tells how much is free; windows: tells only whether given windows fit"),   \
      KEY_DURATION ("lead", "5s", 0, SETTING_DAY_MS,                                               \
                    "refuses reservations that start sooner than this"),                           \
      KEY_DURATION ("horizon", "365d", 1000, 36500 * SETTING_DAY_MS,                               \
                    "refuses reservations that end later than this from now"),                     \
      KEY_INTEGER ("limits/bookings_per_actor_max", "1000000", 2, TIMETABLE_BOOKINGS_MOST,         \
                   "of limits/bookings_max, in one actor's name"),                                 \
      KEY_INTEGER ("limits/uncommitted_share", "90", 1, 100,                                       \
                   "percent of a resource that all uncommitted holds together take at an "         \
                   "instant; one alone may take all"),                                             \
      KEY_INTEGER ("limits/uncommitted_share_per_planner", "75", 1, 100,                           \
                   "the same of one planner's"),                                                   \
      KEY_INTEGER ("limits/uncommitted_share_per_actor", "75", 1, 100,                             \
                   "the same of those for one actor"),                                             \
      KEY_TEXT ("accounts/*", NULL,                                                                \
                "actors that have this local account, separated by commas; * = anybody. Who has "  \
                "none can't reserve here"),                                                        \
      KEY_TEXT ("administrators", "",                                                              \
                "actors that may change capacity and end others' holds, separated by commas")

/*  A name with the kind before it ("lis/ams"), from the key "name", which may have it, too. what
 *  says whose it is: "site", "domain". False with why. */
bool config_name_read (const config_t *config, const char *kind, const char *what,
                       char name [NAME_BYTES_MAX + 1], char why [CONFIG_WHY_BYTES]);

/*  The keys above; gis, too. */
typedef struct {
    disclosure_t disclosure;
    int64_t lead_ms;
    int64_t horizon_ms;
    uint32_t bookings_per_actor_max;
    uncommitted_limits_t uncommitted;
    words_t accounts; /* actors with an account, whichever */
    words_t administrators;
    words_t gis;
} timetable_config_t;

/*  Owns its words: timetable_config_clear, also after false. */
bool timetable_config_read (const config_t *config, timetable_config_t *read,
                            char why [CONFIG_WHY_BYTES]);
void timetable_config_clear (timetable_config_t *self);

/*  Borrows its words. */
access_t timetable_config_access (const timetable_config_t *self);

/*  All names in a section as attributes; on true the list is the caller's. */
bool attributes_config_read (const config_t *config, const char *section, attribute_t **attributes,
                             size_t *count, char why [CONFIG_WHY_BYTES]);

#endif
