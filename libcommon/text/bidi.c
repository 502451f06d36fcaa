/*  bidi - the twelve controls of UAX #9, looked for one by one. */
#include "bidi.h"

#include <stddef.h>
#include <string.h>

bool text_has_bidi_control (const char *text)
{
    static const char *const controls [] = {"\u061c", "\u200e", "\u200f", "\u202a",
                                            "\u202b", "\u202c", "\u202d", "\u202e",
                                            "\u2066", "\u2067", "\u2068", "\u2069"};
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
        if (strstr (text, controls [i]))
            return true;
    return false;
}
