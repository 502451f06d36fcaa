/*  planner_wire - what users ask and are told, by tables of proto/planner.proto.
 *
 *  Tables take what has the right form; whether it makes sense is request.h's business.
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

extern const codec_t request_patch_codec; /* Modify: of a request_patch_t */

/*  Release and Show: a reservation's id alone. */
typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
} reservation_id_t;
extern const codec_t reservation_id_codec;

#endif
