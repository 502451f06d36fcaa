/*  bench_ledger - what a row of the ledger costs in addition to the record whose change it tells
 *  of: processor time and bytes.
 */
#include "bench.h"

#include "ledger.h"
#include "member.h"
#include "service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        ledger_append (self->service->ledger,
                       &(ledger_entry_t){.kind = LEDGER_DECIDED,
                                         .caller = "planner/p",
                                         .txid = &txid,
                                         .record = {record, self->record_bytes}});
        effect_t effect;
        while (service_next (self->service, &effect))
            self->row_bytes = effect.record.value.size;
        sum += ledger_digest (self->service->ledger) [0];
    }
    return sum;
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
    bench_note (bench, "Packed, digested (BLAKE2b-256) and put to the outbox; without the flush, "
                       "which it shares with its change.");
    return bench_end (&bench);
}
