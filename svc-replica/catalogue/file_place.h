/*  file_place - what a site tells others about a file that it has. Pure. */
#ifndef MUSUBI_FILE_PLACE_H
#define MUSUBI_FILE_PLACE_H

#include "chain.h"
#include "file_name.h"

typedef struct {
    char site [NAME_BYTES_MAX + 1]; /* "ams" */
    content_t content;
    int64_t created_ms;
    uint32_t sound; /* sound copies at the site */
    uint32_t staged;
    bool kept;
    char owner [NAME_BYTES_MAX + 1]; /* the actor that put it; "" = not known */
} file_place_t;

/*  Of two contents under one name the one that was put first counts. Below zero: that is a. */
int file_place_order (const file_place_t *a, const file_place_t *b);

#endif
