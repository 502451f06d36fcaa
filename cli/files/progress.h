/*  progress - how a transfer comes along, on one line of a terminal: bytes, rate, time left, and
 *  the chain of those who receive it.
 */
#ifndef MUSUBI_PROGRESS_H
#define MUSUBI_PROGRESS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *self; /* our guest's name: shown as "here" */
    bool gives;       /* what is sent, else what comes, is counted */
    int64_t begun_ms;
    int64_t seen_ms; /* the rate is taken between two looks */
    uint64_t seen_bytes;
    double rate; /* bytes a second, smoothed */
} progress_t;

/*  Draws it over the one before on standard error, when that is a terminal; and wipes it. */
void progress_draw (progress_t *self, const json_t *transfer, int64_t now_ms);
void progress_wipe (void);

#endif
