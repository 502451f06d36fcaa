/*  places - where the directories are, and for whom we ask. */
#ifndef MUSUBI_PLACES_H
#define MUSUBI_PLACES_H

#include "cli.h"

#define PLACES_GIS_MAX 16

typedef struct {
    char *gis_text; /* cut at its commas */
    char *gis [PLACES_GIS_MAX];
    size_t gis_count;
    char *actor;
    int64_t timeout_ms;
} places_t;

/*  From --gis, --dir, MUSUBI_GIS, ~/.config/musubi.zpl, or the federation that runs from here.
 *  False after telling what is wrong. Ended by places_clear in either case. */
bool places_find (places_t *self, const cli_t *cli);
void places_clear (places_t *self);

/*  Who asks, before it matters where. Malloc'ed. */
char *places_actor (const cli_t *cli);

#endif
