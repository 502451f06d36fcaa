/*  histogram - sdsc-blue-cpus-8-128.txt, where it lies. */
#include "histogram.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const cpu_histogram_t *histogram_of_log (char why [EXPERIMENT_WHY_BYTES])
{
    static cpu_histogram_t kept;
    char path [512];
    char text [4096];
    const char *folder = getenv ("MUSUBI_DATA");
    if (kept.count > 0)
        return &kept;
    if (!folder) {
        snprintf (why, EXPERIMENT_WHY_BYTES,
                  "MUSUBI_DATA: must name a folder with sdsc-blue-cpus-8-128.txt");
        return NULL;
    }
    snprintf (path, sizeof path, "%.400s/sdsc-blue-cpus-8-128.txt", folder);
    FILE *file = fopen (path, "r");
    size_t size = file ? fread (text, 1, sizeof text - 1, file) : 0;
    int error = errno;
    if (file)
        fclose (file);
    text [size] = '\0';
    char line [160];
    if (size == 0)
        snprintf (why, EXPERIMENT_WHY_BYTES, "%.400s: %s", path, file ? "empty" : strerror (error));
    else if (cpu_histogram_read (&kept, text, line))
        return &kept;
    else
        snprintf (why, EXPERIMENT_WHY_BYTES, "%.300s: %.160s", path, line);
    kept = (cpu_histogram_t){0};
    return NULL;
}
