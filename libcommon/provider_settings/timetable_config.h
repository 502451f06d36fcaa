/*  timetable_config - what a site and a network domain have in common in their files: who may
 *  reserve there and who administers it, the terms of its bookings, and the limits of the questions
 *  about them.
 */
#ifndef MUSUBI_TIMETABLE_CONFIG_H
#define MUSUBI_TIMETABLE_CONFIG_H

#include "participant_config.h"
#include "plus.h"
#include "provider.h"

/*  Rows for a table of keys; before is a literal, such as "domains/" with a star and a slash, or
 *  "".
 */
#define TERMS_CONFIG_KEYS(before)                                                                  \
    KEY_TEXT (before "disclosure", "profile",                                                      \
              "profile: tells how much is free; windows: tells only whether given windows fit"),   \
      KEY_DURATION (before "lead", "5s", 0, SETTING_DAY_MS,                                        \
                    "how far ahead a reservation must start at least"),                            \
      KEY_DURATION (before "horizon", "365d", 1000, 36500 * SETTING_DAY_MS,                        \
                    "how far ahead a reservation may end at most")

/*  Rows for a service's own table of keys. */
#define TIMETABLE_CONFIG_KEYS                                                                      \
    TERMS_CONFIG_KEYS (""),                                                                        \
      KEY_INTEGER ("limits/bookings_per_actor_max", "1000000", 2, TIMETABLE_BOOKINGS_MOST,         \
                   "the same, in one actor's name"),                                               \
      KEY_INTEGER ("limits/uncommitted_share", "90", 1, 100,                                       \
                   "percent of a resource that all uncommitted holds together may take at any "    \
                   "instant; a single hold may take all"),                                         \
      KEY_INTEGER ("limits/uncommitted_share_per_planner", "75", 1, 100,                           \
                   "the same, for the holds of one planner"),                                      \
      KEY_INTEGER ("limits/uncommitted_share_per_actor", "75", 1, 100,                             \
                   "the same, for the holds of one actor"),                                        \
      KEY_TEXT ("accounts/*", NULL,                                                                \
                "actors that have this local account, separated by commas; * = anybody. An actor " \
                "without an account can't reserve here"),                                          \
      KEY_TEXT ("administrators", "",                                                              \
                "actors that may change capacity and end others' holds, separated by commas")

/*  The same; what is booked is said of all resources, of which there are at most steps_least. */
#define PROVIDER_LIMITS_KEYS(booked, steps_least, profile_steps, fresh_steps)                      \
    KEY_INTEGER ("limits/bookings_max", "4000000", 2, TIMETABLE_BOOKINGS_MOST, booked),            \
      KEY_INTEGER ("limits/profile_steps_max", profile_steps, steps_least,                         \
                   CALENDAR_SERVICE_STEPS_MOST,                                                    \
                   "steps of all profiles in one answer; profiles with more are made coarser"),    \
      KEY_INTEGER ("limits/fresh_steps_max", fresh_steps, steps_least,                             \
                   CALENDAR_SERVICE_STEPS_MOST, "the same, for the profiles in a refusal"),        \
      KEY_INTEGER ("limits/spans_max", "1024", 1, CALENDAR_SERVICE_SPANS_MOST,                     \
                   "free windows in one answer to Calendar.Free")

/*  Rows of who serves PluS. */
#define PLUS_CONFIG_KEYS                                                                           \
    KEY_DURATION ("plus/wait", "15m", 1000, PLUS_WAIT_MS_MAX,                                      \
                  "how long a command of the PluS interface waits for its commit"),                \
      KEY_INTEGER ("plus/created_max", "10000", 1, 1000000,                                        \
                   "the most reservations created by that interface and not reserved yet"),        \
      KEY_INTEGER ("plus/created_per_actor_max", "1000", 1, 1000000,                               \
                   "the most of those of one actor"),                                              \
      KEY_INTEGER ("plus/asked_max", "100000", 1, 10000000,                                        \
                   "the most request ids kept with what was granted, each for limits/retention"),  \
      KEY_INTEGER ("plus/refused_max", "20000", 1, 10000000,                                       \
                   "the most request ids kept with a refusal, for as long")

/*  What the settings borrow once they are read. Zero at first; end it with provider_words_clear,
 *  also after false. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    name_list_t accounts; /* actors with an account, whichever */
    name_list_t administrators;
    name_list_t gis;
} provider_words_t;

/*  Name, terms, accounts, administrators and directories; what says whose name it is, as above. */
bool provider_config_read (const config_t *config, const char *kind, const char *what,
                           provider_words_t *words, free_capacity_terms_t *terms,
                           provider_settings_t *settings, char why [LONG_WHY_BYTES]);
void provider_words_clear (provider_words_t *self);

/*  The limits that have keys. */
bool provider_limits_read (const config_t *config, provider_settings_t *settings,
                           char why [LONG_WHY_BYTES]);
plus_limits_t plus_limits_read (const config_t *config);

/*  All names in a section as attributes; on true the list is the caller's. */
bool attributes_config_read (const config_t *config, const char *section, attribute_t **attributes,
                             size_t *count, char why [LONG_WHY_BYTES]);

#endif
