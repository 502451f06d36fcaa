/*  file_place - that a site has a file, as it tells others. Pure. */
#ifndef MUSUBI_FILE_PLACE_H
#define MUSUBI_FILE_PLACE_H

#include "chain.h"
#include "file_name.h"

typedef struct {
    char site [NAME_BYTES_MAX + 1]; /* "ams" */
    content_t content;
    int64_t created_ms;
    uint32_t sound; /* copies there */
    uint32_t staged;
    bool kept;
    char owner [NAME_BYTES_MAX + 1]; /* who put it; "" = nobody knows */
} file_place_t;

/*  Which of two contents under one name stands: the one that was put first. Below zero: a's. */
int file_place_order (const file_place_t *a, const file_place_t *b);

#endif
