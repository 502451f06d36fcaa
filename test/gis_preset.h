/*  gis_preset - a directory's settings as its configuration presets them, for cores that tests make
 *  without a file. */
#ifndef MUSUBI_GIS_PRESET_H
#define MUSUBI_GIS_PRESET_H

#include "gis.h"
#include "limits_preset.h"

/*  Everything but the name. */
static inline gis_settings_t gis_settings_preset (void)
{
    static const char *const everybody [] = {"*"};
    return (gis_settings_t){.lease_ms_min = 3000,
                            .lease_ms_max = 60000,
                            .entries_max = 4096,
                            .absences = {1024, INT64_C (7) * 86400000, DIRECTORY_LEASE_MS},
                            .closed_max = 1000000,
                            .watermarks_max = 65536,
                            .limits = participant_limits_default,
                            .access = {.accounts = everybody, .accounts_count = 1}};
}

#endif
