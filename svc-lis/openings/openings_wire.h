/*  openings_wire - messages and records of openings and back ends, as plain values. openings_wire.c
 *  and openings_view.c alone see the generated code.
 */
#ifndef MUSUBI_OPENINGS_WIRE_H
#define MUSUBI_OPENINGS_WIRE_H

#include "back_end.h"
#include "codec.h"
#include "openings.h"

/*  The arguments of a back end's work. */
typedef struct {
    back_end_step_t step;
    back_end_order_t *orders;
    size_t count;
} back_end_task_t;
extern const codec_t back_end_task_codec;

typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
    uint32_t most;
} reservation_use_question_t;
extern const codec_t reservation_use_question_codec;

typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
    use_step_t steps [CPU_USAGE_STEPS];
    size_t count;
    int64_t cpu_ms; /* of all of them */
    int64_t offered_ms;
} reservation_use_told_t;
extern const codec_t reservation_use_told_codec;

/*  Same numbers as proto BoundState. */
typedef enum {
    BOUND_HELD,
    BOUND_LEAVING,
    BOUND_CLOSING,
    BOUND_CLEANING,
    BOUND_STATES
} bound_state_t;

/*  A node that a reservation has. The members behind at_ms are not stored. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    bound_state_t state;
    int64_t at_ms; /* held: when it is needed from; leaving, closing: until; cleaning: when it
                      goes */
    size_t node;   /* by index of nodes.h */
    bool due;      /* the time from which it is needed has come */
    bool warned;   /* the runs there that have to end have been told */
} bound_t;

typedef struct {
    opening_phase_t phase;
    bound_t *nodes;
    size_t nodes_count;
    int64_t from_ms;
    int64_t until_ms;
    bool lent;
    bool given_back;
    char owner [NAME_BYTES_MAX + 1];
    bound_t *named; /* nodes that it is to have from at_ms on */
    size_t named_count;
    bool told; /* while it waits: the back end was told of them */
} stored_opening_t;

extern const codec_t stored_opening_codec;

/*  Same numbers as proto UseCounted. */
typedef enum { USE_TOLD, USE_ACCOUNTED, USE_UNACCOUNTED } use_counted_t;

typedef struct {
    cpu_usage_t spent;
    int64_t over_cpu_ms;
    int64_t until_ms;
    use_counted_t counted;
    int64_t counted_cpu_ms;
} stored_use_t;

extern const codec_t stored_use_codec;

#endif
