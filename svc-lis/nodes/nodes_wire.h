/*  nodes_wire - proto/nodes.proto as plain values, for the site and for its agents. */
#ifndef MUSUBI_NODES_WIRE_H
#define MUSUBI_NODES_WIRE_H

#include "batch_picture.h"
#include "nodes.h"

/*  The question of an agent. */
typedef struct {
    char node [NAME_BYTES_MAX + 1];
    char class_name [NAME_BYTES_MAX + 1];
    uint32_t cpus;
    agent_question_t question;
    run_report_t *runs;
    size_t runs_count;
    machine_state_t machine;
    char storage [NAME_BYTES_MAX + 1]; /* the storage node on its machine; "" = none */
    batch_picture_t *batch;            /* of the agent of a batch system; NULL = none yet */
} attend_t;

/*  The most runs that an agent knows: those that run, and those whose end the site has not
 *  confirmed. */
#define AGENT_RUNS_MAX 2048

/*  Same numbers as proto RunWish. */
typedef enum { WISH_START, WISH_WARN, WISH_END, WISH_FORGET, WISH_SUSPEND, WISH_RESUME } run_wish_t;

typedef struct {
    run_id_t id;
    run_wish_t wish;
    run_order_t *order; /* NULL unless the run is to be started and no agent has claimed it */
    int64_t grace_ms;
} wanted_run_t;

typedef struct {
    uint64_t number;
    run_id_t id;
    bool errors;
    uint64_t offset;
    uint32_t most;
} wanted_output_t;

/*  The answer to it. */
typedef struct {
    uint64_t number;
    wanted_run_t *runs;
    size_t runs_count;
    wanted_output_t *outputs;
    size_t outputs_count;
    int64_t lease_ms;
    int64_t attend_ms;
    char site [NAME_BYTES_MAX + 1];
} wanted_t;

extern const codec_t machine_state_codec;
extern const codec_t attend_codec;
extern const codec_t wanted_codec;

/*  A piece of output. */
typedef struct {
    uint64_t number;
    bytes_t data;
    uint64_t size;
    char why [RUN_WHY_BYTES_MAX + 1]; /* "" or why there is none */
} output_piece_t;
extern const codec_t output_piece_codec;

/*  --- for people --- */

typedef struct {
    char after [NAME_BYTES_MAX + 1];
    uint32_t most;
} nodes_question_t;
extern const codec_t nodes_question_codec;

typedef struct {
    char node [NAME_BYTES_MAX + 1];
    bool drained;
} drain_t;
extern const codec_t drain_codec;

/*  --- on disk --- */

typedef struct {
    bool came;
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    bool drained;
    batch_booking_t *bookings;
    size_t bookings_count;
} stored_node_t;
extern const codec_t stored_node_codec;

typedef struct {
    run_t run;
    uint8_t agent [STORE_ID_BYTES];
    uint8_t site [STORE_ID_BYTES];
    bool placed;        /* in the record alone: run.state is RUN_PLACED, which proto has not */
    run_order_t *order; /* NULL unless placed */
    bool warned;
    int64_t warn_ms;
    int64_t grace_ms;
    const char *end_why;
    int64_t over_ms;
} stored_run_t;
extern const codec_t stored_run_codec;
packed_t stored_run_encode (const stored_run_t *run);
bool stored_run_decode (stored_run_t *run, bytes_t record, char why [WHY_BYTES]);

/*  Keys of TABLE_RUNS sort as run_id_compare does. */
#define RUN_KEY_BYTES 16
bytes_t run_key_pack (const run_id_t *id, uint8_t key [RUN_KEY_BYTES]);

#endif
