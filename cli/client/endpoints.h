/*  endpoints - where the directories are, and for whom we ask. */
#ifndef MUSUBI_ENDPOINTS_H
#define MUSUBI_ENDPOINTS_H

#include "cli.h"

#define ENDPOINTS_GIS_MAX 16

typedef struct {
    char *gis_text; /* cut at its commas */
    char *gis [ENDPOINTS_GIS_MAX];
    size_t gis_count;
    char *actor;
    int64_t timeout_ms;
} endpoints_t;

/*  From --gis, --dir, MUSUBI_GIS, ~/.config/musubi.zpl, or the federation that runs from here.
 *  False after telling what is wrong. Ended by endpoints_clear in either case. */
bool endpoints_find (endpoints_t *self, const cli_t *cli);
void endpoints_clear (endpoints_t *self);

/*  Who asks, before it matters where. Malloc'ed. */
char *endpoints_actor (const cli_t *cli);

#endif
