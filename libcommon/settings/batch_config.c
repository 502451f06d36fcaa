/*  batch_config - names of batch systems. */
#include "batch_config.h"

#include <string.h>

#define NAMED(name) #name,

bool batch_config_names (const char *back_end)
{
    static const char *const names [] = {BATCH_SYSTEMS (NAMED, )};
    bool is = false;
    for (size_t i = 0; !is && i < sizeof names / sizeof *names; i++)
        is = strcmp (names [i], back_end) == 0;
    return is;
}
