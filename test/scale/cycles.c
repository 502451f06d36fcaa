/*  cycles - reserves, modifies and gives back through a planner, many times at once, until it is
 *  told to end; each request is asked again under its id until the answer is final.
 *
 *      cycles ENDPOINT HOME EVERY SEED
 *
 *  ENDPOINT is the planner's, HOME the directory that keeps the claims, EVERY the milliseconds from
 *  one reservation to the next. One in four is not given back but ends; one in four is modified.
 *  Ends by SIGTERM, when what was begun has ended, and then prints how many were made of each; too
 *  late is a release of what had ended.
 */
#include "bench.h"
#include "client.h"
#include "message.h"
#include "planner.pb-c.h"
#include "prng.h"
#include "reserve.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SLOTS       32
#define SITES       2
#define CPUS_MOST   4
#define AHEAD_MS    2000 /* a window begins so long from now, or up to twice that */
#define LASTS_MS    1000
#define LATEST_MS   20000 /* after its earliest */
#define PATIENCE_MS 5000
#define AGAIN_MS    200

typedef enum { RESERVE, MODIFY, RELEASE, STAGES } cycle_stage_t;

static const char *const methods [STAGES] = {"Reserve", "Modify", "Release"};

/*  A reservation at a time. */
typedef struct {
    packed_t body; /* of what is asked; NULL = nothing is */
    cycle_stage_t stage;
    uint64_t number;
    uint64_t call; /* 0 = not under way */
    int64_t next_ms;
    char reservation [NAME_BYTES_MAX + 1];
} slot_t;

typedef struct {
    const char *endpoint;
    const char *home;
    client_t *client;
    prng_t prng;
    slot_t slots [SLOTS];
    int64_t every_ms; /* a reservation is begun */
    int64_t due_ms;
    uint64_t begun;
    uint64_t done [STAGES];
    uint64_t refused [STAGES];
    uint64_t again;
} cycles_t;

static volatile sig_atomic_t over;

static void on_signal (int number)
{
    (void) number;
    over = 1;
}

static packed_t wish (cycles_t *self)
{
    int64_t from_ms = bench_wall_ms () + AHEAD_MS + (int64_t) prng_below (&self->prng, AHEAD_MS);
    bench_reserve_t reserve = {.sites = 1 + (size_t) prng_below (&self->prng, SITES),
                               .earliest_ms = from_ms,
                               .deadline_ms = from_ms + LATEST_MS,
                               .duration_ms = LASTS_MS};
    for (size_t i = 0; i < reserve.sites; i++)
        reserve.cpus [i] = 1 + (uint32_t) prng_below (&self->prng, CPUS_MOST);
    return reserve_encode (&reserve);
}

static void ask (cycles_t *self, slot_t *slot)
{
    char id [REQUEST_ID_BYTES_MAX + 1];
    snprintf (id, sizeof id, "c%d-%" PRIu64 "-%d@%s", (int) getpid (), slot->number,
              (int) slot->stage, self->home);
    slot->call = client_send (self->client, &(client_request_t){.endpoint = self->endpoint,
                                                                .service = "Planner",
                                                                .method = methods [slot->stage],
                                                                .actor = "alice",
                                                                .request_id = id,
                                                                .body = packed_bytes (slot->body),
                                                                .timeout_ms = PATIENCE_MS});
}

static void slot_begin (cycles_t *self, slot_t *slot, cycle_stage_t stage)
{
    if (stage == RESERVE)
        slot->number = ++self->begun;
    slot->stage = stage;
    slot->body = stage == RESERVE  ? wish (self)
                 : stage == MODIFY ? modify_encode (slot->reservation, 1)
                                   : release_encode (slot->reservation);
    slot->next_ms = 0;
}

/*  What follows on an answer that is final. */
static void slot_go_on (cycles_t *self, slot_t *slot, bool committed)
{
    ++(committed ? self->done : self->refused) [slot->stage];
    free (slot->body.data);
    slot->body = (packed_t){0};
    if (slot->stage == RESERVE && committed && slot->number % 4 == 1)
        slot_begin (self, slot, MODIFY);
    else if (slot->stage == MODIFY || (slot->stage == RESERVE && committed && slot->number % 4))
        slot_begin (self, slot, RELEASE);
}

/*  Reads a final answer: true, whether it is "committed", and then the reservation's id. */
static bool is_final (const client_reply_t *reply, slot_t *slot, bool *committed)
{
    ProtobufCMessage *message =
      reply->status == CALL_OK ? message_unpack (&musubi__answer__descriptor, reply->body) : NULL;
    const Musubi__Answer *answer = (const Musubi__Answer *) message;
    if (!answer)
        return false;
    *committed = answer->status == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED;
    bool final = *committed || answer->status == MUSUBI__ANSWER_STATUS__ANSWER_REFUSED;
    if (*committed)
        snprintf (slot->reservation, sizeof slot->reservation, "%s", answer->reservation);
    message_free (message);
    return final;
}

static void slot_take (cycles_t *self, slot_t *slot, const client_reply_t *reply)
{
    bool committed;
    slot->call = 0;
    if (is_final (reply, slot, &committed)) {
        slot_go_on (self, slot, committed);
        return;
    }
    self->again++;
    slot->next_ms = bench_wall_ms () + AGAIN_MS;
}

/*  Asks what it is time for. Returns whether anything is under way or will be. */
static bool slots_go (cycles_t *self)
{
    bool busy = false;
    int64_t now_ms = bench_wall_ms ();
    if (self->due_ms < now_ms - 1000)
        self->due_ms = now_ms - 1000; /* what could not be begun in time is left out */
    for (size_t i = 0; i < SLOTS; i++) {
        slot_t *slot = &self->slots [i];
        if (!slot->body.data && !over && self->due_ms <= now_ms) {
            slot_begin (self, slot, RESERVE);
            self->due_ms += self->every_ms;
        }
        if (slot->body.data && slot->call == 0 && now_ms >= slot->next_ms)
            ask (self, slot);
        busy = busy || slot->body.data;
    }
    return busy || !over;
}

static void cycles_run (cycles_t *self)
{
    client_reply_t reply;
    while (slots_go (self)) {
        if (client_in_flight (self->client) == 0)
            nanosleep (&(struct timespec){.tv_nsec = 1000000}, NULL);
        while (client_wait (self->client, 1, &reply))
            for (size_t i = 0; i < SLOTS; i++)
                if (self->slots [i].call == reply.call)
                    slot_take (self, &self->slots [i], &reply);
    }
}

int main (int argc, char **argv)
{
    if (argc != 5) {
        fputs ("usage: cycles ENDPOINT HOME EVERY SEED\n", stderr);
        return 2;
    }
    cycles_t *self = calloc (1, sizeof *self);
    if (!self)
        bench_fail ("out of memory");
    signal (SIGTERM, on_signal);
    self->endpoint = argv [1];
    self->home = argv [2];
    self->client = client_new ();
    prng_seed (&self->prng, strtoull (argv [4], NULL, 10));
    self->every_ms = strtoll (argv [3], NULL, 10);
    self->due_ms = bench_wall_ms ();
    cycles_run (self);
    printf ("cycles reserved=%" PRIu64 " modified=%" PRIu64 " released=%" PRIu64 " refused=%" PRIu64
            " too_late=%" PRIu64 " again=%" PRIu64 "\n",
            self->done [RESERVE], self->done [MODIFY], self->done [RELEASE],
            self->refused [RESERVE] + self->refused [MODIFY], self->refused [RELEASE], self->again);
    client_destroy (&self->client);
    free (self);
    return 0;
}
