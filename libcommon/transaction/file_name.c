/*  file_name - one pass over its parts. */
#include "file_name.h"

#include <string.h>

static bool file_name_refuse (char why [WHY_BYTES], const char *what)
{
    return wrong (why, "name: %s", what);
}

static bool part_sound (const char *part, size_t length, char why [WHY_BYTES])
{
    if (length == 0)
        return file_name_refuse (why,
                                 "a part between slashes is empty; write it as in era5/2020.nc");
    if (length <= 2 && strspn (part, ".") >= length)
        return file_name_refuse (why, "no part between slashes may be \".\" or \"..\"");
    return true;
}

bool file_name_check (const char *name, char why [WHY_BYTES])
{
    size_t length = strlen (name);
    if (length == 0)
        return file_name_refuse (why, "missing");
    if (length > FILE_NAME_BYTES_MAX)
        return file_name_refuse (why, "must not be longer than 255 bytes");
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char) name [i];
        bool c1 = byte == 0xc2 && (unsigned char) name [i + 1] < 0xa0; /* U+0080 to U+009F */
        if (byte < ' ' || byte == 0x7f || c1)
            return file_name_refuse (why, "must not have control characters");
    }
    for (const char *part = name;;) {
        size_t bytes = strcspn (part, "/");
        if (!part_sound (part, bytes, why))
            return false;
        part += bytes;
        if (*part == '\0')
            return true;
        part++;
    }
}
