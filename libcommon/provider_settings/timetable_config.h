/*  timetable_config - what a site and a network domain have in common in their files: who may
 *  reserve there and who administers it, the terms of its bookings, and the limits of the questions
 *  about them.
 */
#ifndef MUSUBI_TIMETABLE_CONFIG_H
#define MUSUBI_TIMETABLE_CONFIG_H

#include "config.h"
#include "plus.h"
#include "provider.h"
#include "site_settings.h"

/*  Over free_capacity_terms_t: disclosure, lead and horizon. */
extern const setting_table_t terms_table;

/*  What the file of every provider has beside its numbers. accounts are the service's own row: with
 *  or without what a batch system charges; so is its name. */
typedef struct {
    const char *name;
    const char *gis;
    const char *administrators;
    account_section_t *accounts;
    size_t accounts_count;
    free_capacity_terms_t terms;
} provider_file_t;

extern const setting_table_t provider_file_table;

/*  What the settings borrow once they are read. Zero at first; end it with provider_words_clear,
 *  also after false. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    name_list_t accounts; /* actors with an account, whichever */
    name_list_t administrators;
    name_list_t gis;
} provider_words_t;

/*  Adds name, accounts, administrators and directories of its file to the provider's numbers. kind
 *  and what say whose name it is: "lis", "site". False with why. */
bool provider_config_read (const config_t *config, const provider_file_t *file, const char *kind,
                           const char *what, provider_words_t *words, provider_settings_t *settings,
                           char why [LONG_WHY_BYTES]);
void provider_words_clear (provider_words_t *self);

/*  PluS keeps what it was asked as long as the provider keeps its records. */
plus_limits_t plus_limits_of (const plus_limits_t *plus, const provider_settings_t *provider);

/*  A section's attributes; on true the list is the caller's. */
bool attributes_config_read (const config_t *config, const attribute_setting_t *sections,
                             size_t sections_count, attribute_t **attributes, size_t *count,
                             char why [LONG_WHY_BYTES]);

#endif
