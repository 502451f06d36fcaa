/*  gis_everybody - the settings of a directory that is anybody's home, as its file has them where
 *  it says nothing. */
#ifndef MUSUBI_GIS_EVERYBODY_H
#define MUSUBI_GIS_EVERYBODY_H

#include "gis.h"

/*  Everything but the name; its start waits for nobody. */
static inline gis_settings_t gis_for_everybody (void)
{
    static const char *const everybody [] = {"*"};
    gis_settings_t settings = SETTINGS_PRESET (gis_settings_t, &gis_table);
    settings.restore_guard_wait_ms = settings.recall_wait_ms = 0;
    settings.access = (access_t){.accounts = everybody, .accounts_count = 1};
    return settings;
}

#endif
