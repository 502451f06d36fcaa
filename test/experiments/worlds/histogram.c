/*  histogram - reads sdsc-blue-cpus-8-128.txt where MUSUBI_DATA has it; else the table below. */
#include "histogram.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  From no real machine. It has what real logs have in common: most jobs ask for few CPUs, and for
 *  powers of two. */
static const char made_up [] = "8 7590\n16 2265\n24 219\n32 948\n40 61\n48 70\n56 68\n64 327\n"
                               "72 36\n80 19\n88 22\n96 32\n104 12\n112 14\n120 22\n128 80\n";

const char *histogram_source (void)
{
    return getenv ("MUSUBI_DATA") ? "SDSC-BLUE" : "a made-up log";
}

const cpu_histogram_t *histogram_of_log (char why [LONG_WHY_BYTES])
{
    static cpu_histogram_t kept;
    char path [512];
    char text [4096];
    const char *folder = getenv ("MUSUBI_DATA");
    if (kept.count > 0)
        return &kept;
    if (!folder)
        return cpu_histogram_read (&kept, made_up, why) ? &kept : NULL;
    snprintf (path, sizeof path, "%.400s/sdsc-blue-cpus-8-128.txt", folder);
    FILE *file = fopen (path, "r");
    size_t size = file ? fread (text, 1, sizeof text - 1, file) : 0;
    int error = errno;
    if (file)
        fclose (file);
    text [size] = '\0';
    char line [WHY_BYTES];
    if (size == 0)
        snprintf (why, LONG_WHY_BYTES, "%.400s: %s", path, file ? "empty" : strerror (error));
    else if (cpu_histogram_read (&kept, text, line))
        return &kept;
    else
        snprintf (why, LONG_WHY_BYTES, "%.300s: %.160s", path, line);
    kept = (cpu_histogram_t){0};
    return NULL;
}
