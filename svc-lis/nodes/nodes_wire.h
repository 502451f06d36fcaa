/*  nodes_wire - proto/nodes.proto as plain values, for the site and for its agents. nodes_wire.c
 *  and runs_wire.c alone see the generated code.
 */
#ifndef MUSUBI_NODES_WIRE_H
#define MUSUBI_NODES_WIRE_H

#include "nodes.h"

/*  An agent's question. Owns runs: attend_clear. */
typedef struct {
    char node [NAME_BYTES_MAX + 1];
    char class_name [NAME_BYTES_MAX + 1];
    uint32_t cpus;
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    uint64_t number;
    uint64_t seen;
    run_report_t *runs;
    size_t runs_count;
} attend_t;

/*  What an agent knows at most: those that run, and those whose end the site has not confirmed. */
#define AGENT_RUNS_MAX 2048

/*  Same numbers as proto RunWish. */
typedef enum { WISH_START, WISH_WARN, WISH_END, WISH_FORGET } run_wish_t;

typedef struct {
    run_id_t id;
    run_wish_t wish;
    run_order_t *order; /* NULL: it is claimed already, or wish is another */
    int64_t grace_ms;
} wanted_run_t;

typedef struct {
    uint64_t number;
    run_id_t id;
    bool errors;
    uint64_t offset;
    uint32_t most;
} wanted_output_t;

/*  The answer. One that was decoded owns its arrays and their orders: wanted_clear. */
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

void attend_clear (attend_t *self);
void wanted_clear (wanted_t *self);

/*  Encoders return malloc'ed bytes that the caller frees. Decoders check; on false why names the
 *  field, nothing is allocated. */
packed_t attend_encode (const attend_t *attend);
bool attend_decode (attend_t *attend, bytes_t body, char why [WHY_BYTES]);
packed_t wanted_encode (const wanted_t *wanted);

bool wanted_decode (wanted_t *wanted, bytes_t body, char why [WHY_BYTES]);

/*  A piece of output. Borrows. */
typedef struct {
    uint64_t number;
    bytes_t data;
    uint64_t size;
    const char *why; /* "" or why there is none */
} brought_t;
packed_t bring_encode (const brought_t *brought);
packed_t bring_answer_encode (void);

/*  Calls take with it; false, and take is not called, when it is none. */
bool bring_decode (bytes_t body, void (*take) (void *owner, const brought_t *brought), void *owner,
                   char why [WHY_BYTES]);

/*  --- for people --- */

typedef struct {
    const node_t *node;
    const char *class_name;
    const char *reservation; /* NULL = none */
    int64_t heard_ms;
    const char *resting; /* why; "" = it does not rest */
} node_record_t;
bool nodes_question_decode (bytes_t body, char after [NAME_BYTES_MAX + 1], uint32_t *most,
                            char why [WHY_BYTES]);
packed_t nodes_answer_encode (const node_record_t *records, size_t count, bool more);
bool drain_decode (bytes_t body, char node [NAME_BYTES_MAX + 1], bool *drained,
                   char why [WHY_BYTES]);
packed_t drain_answer_encode (const char *const *overbooked, size_t count);

/*  --- on disk --- */

typedef struct {
    bool came;
    uint8_t store [STORE_ID_BYTES];
    uint32_t start;
    bool drained;
} stored_node_t;
packed_t stored_node_encode (const stored_node_t *node);
bool stored_node_decode (stored_node_t *node, bytes_t record, char why [WHY_BYTES]);

/*  Decoded strings are the record's own copies: stored_run_clear. */
typedef struct {
    run_t run;
    uint8_t agent [STORE_ID_BYTES];
    uint8_t site [STORE_ID_BYTES];
    run_order_t *order; /* NULL unless placed */
    bool warned;
    int64_t warn_ms;
    int64_t grace_ms;
    const char *end_why;
    int64_t over_ms;
} stored_run_t;
packed_t stored_run_encode (const stored_run_t *run);
bool stored_run_decode (stored_run_t *run, bytes_t record, char why [WHY_BYTES]);
void stored_run_clear (stored_run_t *self);

/*  Keys of TABLE_RUNS sort as run_id_compare does. */
#define RUN_KEY_BYTES 16
void run_key_pack (const run_id_t *id, uint8_t key [RUN_KEY_BYTES]);

#endif
