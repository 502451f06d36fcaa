/*  fuzz_kept - whatever a service accepts in a request, it must be able to read again from its
 *  record: a promise that can't be loaded is lost at the next start. The first byte picks the
 *  method; then come the actor and the request id, each after its length; the rest is the body.
 */
#include "agent_state.h"
#include "bags.h"
#include "codec_table.h"
#include "fuzzing.h"
#include "home_wire.h"
#include "member.h"
#include "node_work.h"
#include "nodes_wire.h"
#include "plus_wire.h"
#include "queue_wire.h"
#include "service.h"
#include "sharing_wire.h"

typedef struct {
    char actor [NAME_BYTES_MAX + 1];
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    bytes_t body;
    bool served;
} fuzz_record_t;

static const uint8_t store [STORE_ID_BYTES] = {7};

static bytes_t bytes_of (packed_t packed)
{
    return (bytes_t){.data = packed.data, .size = packed.size};
}

static packed_t copy_of (bytes_t bytes)
{
    packed_t copy = {.data = malloc (bytes.size + 1), .size = bytes.size};
    REQUIRE (copy.data);
    if (bytes.size > 0)
        memcpy (copy.data, bytes.data, bytes.size);
    return copy;
}

/*  Checks that the reader of a record takes it. */
static void kept_again (const codec_t *codec, const void *kept)
{
    char why [WHY_BYTES];
    void *again = calloc (1, codec->size);
    packed_t record = codec_encode (codec, kept);
    REQUIRE (again && codec_decode (codec, again, bytes_of (record), why));
    codec_clear (codec, again);
    free (again);
    free (record.data);
}

/*  --- a site's queue --- */

/*  The records that follow from an order: the run at its site and at its node, and the starter's
 *  file. */
static void run_kept (const stored_run_t *run)
{
    char why [WHY_BYTES];
    stored_run_t again;
    packed_t record = stored_run_encode (run);
    REQUIRE (stored_run_decode (&again, bytes_of (record), why));
    codec_clear (&stored_run_codec, &again);
    free (record.data);
}

static void order_kept (const run_order_t *order)
{
    run_id_t id = {.task = {.bag = 1}, .number = 1};
    stored_run_t run = {.run = {.id = id,
                                .state = RUN_PLACED,
                                .node = "n1",
                                .reservation = order->reservation,
                                .why = ""},
                        .order = (run_order_t *) order,
                        .end_why = ""};
    run_kept (&run);

    agent_record_t claimed = {.id = id, .order = (run_order_t *) order};
    memcpy (claimed.site, store, sizeof store);
    kept_again (&agent_record_codec, &claimed);

    char name [RUN_NAME_BYTES_MAX + 1];
    ticket_t ticket = {.name = run_name (store, &id, name),
                       .id = id,
                       .site = "ams",
                       .node = "n1",
                       .order = (run_order_t *) order};
    kept_again (&ticket_codec, &ticket);
}

static void bag_kept (const bag_t *bag)
{
    char why [WHY_BYTES];
    stored_bag_t again;
    packed_t record = codec_encode (&stored_bag_codec, bag);
    REQUIRE (stored_bag_decode (&again, bytes_of (record), why));
    REQUIRE (again.asked.count == bag->asked.count);
    submission_clear (&again.asked);
    codec_clear (&stored_bag_codec, &again);
    free (record.data);
}

static bool submission_of (const fuzz_record_t *asked, bytes_t body, const char *owner,
                           submission_t *submission)
{
    char why [WHY_BYTES];
    submitter_t by = {
      .owner = owner, .account = "guest", .count_max = UINT32_MAX, .limit_ms_max = 1000000000};
    return asked->served && *owner && submit_decode (submission, body, &by, why);
}

static void submit (const fuzz_record_t *asked)
{
    submission_t submission;
    if (!submission_of (asked, asked->body, asked->actor, &submission))
        return;
    bags_t *bags = bags_new ();
    bag_kept (
      bags_add (bags, 1, asked->actor, asked->request_id, copy_of (asked->body), &submission));
    order_kept (&submission.order);
    bags_destroy (&bags);
}

static void accept (const fuzz_record_t *asked)
{
    offer_message_t offer;
    submission_t submission;
    char why [WHY_BYTES];
    if (!asked->served || !codec_decode (&offer_message_codec, &offer, asked->body, why))
        return;
    stored_offer_t kept = {
      .move = offer.move, .given = {.accepted = true}, .bag = 1, .offered_ms = offer.offered_ms};
    kept_again (&stored_offer_codec, &kept);
    bytes_t body = bytes_of (offer.submitted);
    if (submission_of (asked, body, offer.owner, &submission)) {
        bags_t *bags = bags_new ();
        bag_t *bag = bags_add (bags, 1, offer.owner, "", copy_of (body), &submission);
        bag->guest = malloc (sizeof *bag->guest);
        REQUIRE (bag->guest);
        *bag->guest = (guest_origin_t){.move = offer.move,
                                       .home = offer.home,
                                       .bag = offer.bag,
                                       .first = offer.first,
                                       .count = offer.count};
        /*  Does what accepting does, for an offer within the submitted bag. */
        if (offer.count > 0 && offer.count <= submission.count &&
            offer.first <= submission.count - offer.count) {
            submission_of_guests (&bag->asked, offer.first, offer.count);
            bag_kept (bag);
        }
        bags_destroy (&bags);
    }
    codec_clear (&offer_message_codec, &offer);
}

static void task_kept (task_state_t state, const char *node, const char *text)
{
    char why [WHY_BYTES];
    task_t task = {.state = state, .tries = 1, .node_name = (char *) node, .why = (char *) text};
    packed_t record = stored_task_encode (&task);
    task_t again = {0};
    REQUIRE (stored_task_decode (&again, bytes_of (record), why));
    free (again.node_name);
    free (again.why);
    free (again.storage);
    free (again.trip);
    free (record.data);
}

static void attend (const fuzz_record_t *asked)
{
    attend_t told;
    char why [WHY_BYTES];
    if (!asked->served || !codec_decode (&attend_codec, &told, asked->body, why))
        return;
    for (size_t i = 0; i < told.runs_count; i++) {
        const run_report_t *report = &told.runs [i];
        stored_run_t run = {.run = {.id = report->id,
                                    .state = report->state,
                                    .node = told.node,
                                    .reservation = "",
                                    .started_ms = report->started_ms,
                                    .ended_ms = report->ended_ms,
                                    .cpu_ms = report->cpu_ms,
                                    .why = report->why},
                            .end_why = ""};
        run_kept (&run);
        task_kept (TASK_STOPPED, told.node, report->why);
    }
    codec_clear (&attend_codec, &told);
}

static void guests_ended (const fuzz_record_t *asked)
{
    ends_t ends;
    char why [WHY_BYTES];
    if (!asked->served || !codec_decode (&ends_codec, &ends, asked->body, why))
        return;
    for (size_t i = 0; i < ends.count; i++)
        task_kept (ends.ends [i].state, ends.ends [i].node, ends.ends [i].why);
    codec_clear (&ends_codec, &ends);
}

static void join (const fuzz_record_t *asked)
{
    membership_t membership;
    char why [WHY_BYTES];
    if (asked->served && codec_decode (&join_codec, &membership, asked->body, why))
        kept_again (&stored_membership_codec, &membership);
}

/*  --- S3's interface --- */

static void create (const fuzz_record_t *asked)
{
    char why [WHY_BYTES];
    plus_created_t created = {.until_ms = 1};
    memcpy (created.owner, asked->actor, sizeof created.owner);
    if (asked->served && *asked->actor && codec_decode (&plus_create_codec, NULL, asked->body, why))
        kept_again (&plus_created_codec, &created);
}

static void reserve (const fuzz_record_t *asked)
{
    plus_wish_t wish;
    plus_asked_t kept = {.asked_ms = 1};
    char why [WHY_BYTES];
    if (!asked->served || !codec_decode (&plus_reserve_codec, &wish, asked->body, why))
        return;
    memcpy (kept.reservation, wish.reservation, sizeof kept.reservation);
    kept_again (&plus_asked_codec, &kept);
    plan_t plan = {.txid = {.start = 1, .counter = 1},
                   .participants = &(participant_ref_t){.name = "lis/ams"},
                   .participants_count = 1,
                   .coordinator = {.name = "planner/plus"},
                   .decide_by_ms = 1,
                   .edge_ms = 2,
                   .end_ms = 3};
    memcpy (plan.reservation, wish.reservation, sizeof plan.reservation);
    snprintf (plan.actor, sizeof plan.actor, "%s", *asked->actor ? asked->actor : "a");
    memcpy (plan.owner, plan.actor, sizeof plan.owner);
    memcpy (plan.request_id, asked->request_id, sizeof plan.request_id);
    kept_again (&plan_codec, &plan);
}

/*  --- a request home --- */

static void close_claim (const fuzz_record_t *asked)
{
    close_t order;
    char why [WHY_BYTES];
    if (!asked->served || !codec_decode (&close_codec, &order, asked->body, why))
        return;
    closed_record_t kept = {
      .answer = order.answer, .keep_until_ms = order.keep_until_ms, .closed_ms = 1};
    closed_record_t again;
    memcpy (kept.digest, order.claim.digest, sizeof kept.digest);
    packed_t record = codec_encode (&closed_record_codec, &kept);
    REQUIRE (codec_decode (&closed_record_codec, &again, bytes_of (record), why));
    free (again.answer.data);
    free (record.data);
    free (order.answer.data);
}

/*  --- a node --- */

/*  Whatever a program is called, how its run ended can be told and read again. */
static void refused (const fuzz_record_t *asked)
{
    char why [WHY_BYTES];
    stand_t stand = {.name = "x", .report.state = RUN_REFUSED}, again;
    snprintf (stand.report.why, sizeof stand.report.why, "program %.*s: no such file",
              (int) asked->body.size, (const char *) asked->body.data);
    packed_t record = stand_encode (&stand);
    REQUIRE (codec_decode (&stand_codec, &again, bytes_of (record), why));
    free (record.data);
    task_kept (TASK_STOPPED, "n1", again.report.why);
}

/*  --- all of them --- */

static void take (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now, (void) request, (void) body;
    *(bool *) owner = true;
}

/*  Every request comes in through a service's own check. */
static bool served (const fuzz_record_t *asked)
{
    bool taken = false;
    service_t *service = member_new ("lis/ams", NULL, 0);
    service_serve (service, "Any", "Way", NULL, ALWAYS, take, &taken);
    moment_t now = {.wall_ms = 1000000};
    event_t start = {.kind = EVENT_START,
                     .start = {.store = {.start = 1}, .endpoint = "", .events = ""}};
    memcpy (start.start.store.id, store, sizeof store);
    service_step (service, &now, &start);
    service_step (service, &now,
                  &(event_t){.kind = EVENT_REQUEST,
                             .request = {.service = "Any",
                                         .method = "Way",
                                         .actor = asked->actor,
                                         .request_id = asked->request_id}});
    service_destroy (&service);
    return taken;
}

/*  Names arrive as text, so that they are known to be UTF-8 here. */
static bool text_from (numbers_t *from, char *to, size_t most)
{
    size_t size = number_below (from, (uint32_t) most + 1);
    if (size > from->left)
        return false;
    for (size_t i = 0; i < size; i++)
        if ((to [i] = (char) number_byte (from)) == 0 || (to [i] & 0x80))
            return false;
    to [size] = '\0';
    return true;
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    typedef void way_fn (const fuzz_record_t *asked);
    static way_fn *const ways [] = {submit, accept,  attend,      guests_ended, join,
                                    create, reserve, close_claim, refused};
    numbers_t numbers = {.at = data, .left = size};
    fuzz_record_t asked = {0};
    uint32_t way = number_byte (&numbers);
    if (way >= sizeof ways / sizeof *ways || !text_from (&numbers, asked.actor, NAME_BYTES_MAX) ||
        !text_from (&numbers, asked.request_id, REQUEST_ID_BYTES_MAX))
        return FUZZ_UNWANTED;
    packed_t body = copy_of ((bytes_t){.data = numbers.at, .size = numbers.left});
    asked.body = bytes_of (body);
    asked.served = served (&asked);
    ways [way](&asked);
    free (body.data);
    return 0;
}
