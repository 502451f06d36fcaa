/*  bench_ledger - what a row of the ledger costs in addition to the record whose change it tells
 *  of, processor time and bytes; and how long the write is in which the rows of a segment leave.
 */
#include "bench.h"

#include "ledger.h"
#include "member.h"
#include "segment.h"
#include "service.h"
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS 20000

typedef struct {
    service_t *service;
    size_t record_bytes;
    size_t row_bytes; /* of the last row */
} appender_t;

/*  Each row is added in a step of its own, as changes are. */
static uint64_t append (void *subject, uint32_t operations)
{
    appender_t *self = subject;
    static const uint8_t record [65536];
    const txid_t txid = {.store = {1, 2, 3}, .start = 4, .counter = 5};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < operations; i++) {
        outbox_clear (self->service->outbox);
        ledger_append (ledger_of (self->service),
                       &(ledger_entry_t){.kind = LEDGER_DECIDED,
                                         .caller = "planner/p",
                                         .txid = &txid,
                                         .record = {record, self->record_bytes}});
        effect_t effect;
        while (service_next (self->service, &effect))
            self->row_bytes = effect.record.value.size;
        sum += ledger_digest (ledger_of (self->service)) [0];
    }
    return sum;
}

/*  --- a segment's rows leave the store --- */

static void check (store_answer_t answer)
{
    if (answer != STORE_OK)
        bench_fail ("the store can't be written");
}

/*  One batch: rows are put, or deleted. */
static void write_rows (store_t *store, uint64_t first, bool put)
{
    static const uint8_t row [600]; /* of one in a site */
    uint8_t bytes [LEDGER_KEY_BYTES];
    bytes_t key = {.data = bytes, .size = sizeof bytes};
    check (store_begin (store));
    for (uint64_t number = first; number < first + SEGMENT_ROWS; number++) {
        number_put (bytes, number, sizeof bytes);
        check (put ? store_put (store, TABLE_LEDGER, key, (bytes_t){row, sizeof row})
                   : store_delete (store, TABLE_LEDGER, key));
    }
    check (store_flush (store, bench_wall_ms ()));
}

static void measure_leaving (bench_t *bench)
{
    double wall_ms [BENCH_RUNS], cpu_ms [BENCH_RUNS];
    char folder [] = "/tmp/musubi-ledger.XXXXXX", command [64], why [WHY_BYTES];
    static const uint8_t id [STORE_ID_BYTES] = {1};
    store_t *store;
    if (!mkdtemp (folder))
        bench_fail ("no temporary folder");
    if (store_open (&store, folder, STORE_BYTES_DEFAULT, id, bench_wall_ms (), why) != STORE_OK)
        bench_fail (why);
    write_rows (store, 1, true);
    for (uint64_t run = 0; run < BENCH_RUNS; run++) {
        write_rows (store, 1 + (run + 1) * SEGMENT_ROWS, true);
        double wall_ns = bench_wall_ns (), cpu_ns = bench_cpu_ns ();
        write_rows (store, 1 + run * SEGMENT_ROWS, false);
        wall_ms [run] = (bench_wall_ns () - wall_ns) / 1e6;
        cpu_ms [run] = (bench_cpu_ns () - cpu_ns) / 1e6;
    }
    bench_put (bench, "a segment's rows leave", "write ms", bench_median (wall_ms, BENCH_RUNS));
    bench_put (bench, "a segment's rows leave", "its processor ms",
               bench_median (cpu_ms, BENCH_RUNS));
    store_close (&store);
    snprintf (command, sizeof command, "rm -rf '%s'", folder);
    if (system (command) != 0)
        bench_fail (command);
}

int main (int argc, char **argv)
{
    static const size_t sizes [] = {0, 100, 1000, 10000, 65536};
    bench_t *bench = bench_new (argc, argv, "ledger", "what a row of the ledger costs");
    bench_begin (bench);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        appender_t self = {.service = member_new ("lis/ams", NULL, 0), .record_bytes = sizes [i]};
        char row [64];
        snprintf (row, sizeof row, "record of %zu bytes", sizes [i]);
        bench_put (bench, row, "append ns", bench_ns (append, &self, ROWS));
        bench_put (bench, row, "row bytes", (double) self.row_bytes);
        service_destroy (&self.service);
    }
    measure_leaving (bench);
    bench_note (bench,
                "A row is packed, digested (BLAKE2b-256) and put to the outbox; without the flush, "
                "which it shares with its change. A segment's rows "
                "leave in one write of 4,096 deletes, with its flush.");
    return bench_end (&bench);
}
