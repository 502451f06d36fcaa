/*  planner_wire - what users ask, by tables of proto/planner.proto.
 *
 *  Tables check the form of a message; request.h checks whether it makes sense.
 */
#ifndef MUSUBI_PLANNER_WIRE_H
#define MUSUBI_PLANNER_WIRE_H

#include "answer.h"
#include "request.h"

typedef struct {
    user_request_t request;
    bool dry_run;
} reserve_t;
extern const codec_t reserve_codec;

extern const codec_t request_patch_codec; /* Modify */

/*  Release and Show. */
typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
} reservation_id_t;
extern const codec_t reservation_id_codec;

#endif
