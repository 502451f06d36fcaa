/*  endpoints - the directories to ask, and the name to ask in. */
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
 *  False after refusing. Ended by endpoints_clear in either case. */
bool endpoints_find (endpoints_t *self, const cli_t *cli);
void endpoints_clear (endpoints_t *self);

/*  The name to ask in, for commands that need no directory. Malloc'ed. */
char *endpoints_actor (const cli_t *cli);

#endif
