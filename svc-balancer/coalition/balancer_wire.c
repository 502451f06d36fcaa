/*  balancer_wire - protobuf <-> plain values: questions and answers, and records on disk. */
#include "balancer_wire.h"

#include "balance.pb-c.h"
#include "bilb.h"
#include "must.h"
#include "transaction_wire.h"

#include <stdlib.h>
#include <string.h>

#define LEVEL_S_MOST 1000000000
#define LOAD_S_MOST  10000000000000 /* of one member */

/*  --- questions to members --- */

static const codec_row_t terms_rows [] = {
  ROW_WORD ("balancer", terms_t, balancer, OR_NONE),
  ROW_NUMBER ("level_s", terms_t, level_s, MOST (LEVEL_S_MOST)),
  ROW_FLAG ("automatic", terms_t, automatic),
  ROW_UNUSED ("away"),
  ROW_UNUSED ("guests"),
};
const codec_t terms_codec = CODEC (terms_t, membership_answer, terms_rows);

#define INPUT_BYTES_MOST 1000000000000000

static const codec_row_t queued_rows [] = {
  ROW_NUMBER ("bag", queued_t, bag, LEAST (1)),
  ROW_WORD ("home", queued_t, home),
  ROW_NUMBER ("home_bag", queued_t, home_bag, LEAST (1)),
  ROW_NUMBER ("running", queued_t, running),
  ROW_NUMBER ("waiting", queued_t, waiting),
  ROW_NUMBER ("movable", queued_t, movable),
  ROW_NUMBER ("task_load_s", queued_t, task_s, MOST (LOAD_S_MOST)),
  ROW_NUMBER ("running_load_s", queued_t, running_s, MOST (LOAD_S_MOST)),
  ROW_TIME ("submitted_ms", queued_t, submitted_ms),
  ROW_NUMBER ("away", queued_t, away),
  ROW_NUMBER ("input_bytes", queued_t, input_bytes, BETWEEN (0, INPUT_BYTES_MOST)),
  ROW_NUMBER ("missing_bytes", queued_t, missing_bytes, BETWEEN (0, INPUT_BYTES_MOST)),
};

static bool queued_rule (void *self, char why [WHY_BYTES])
{
    const queued_t *bag = self;
    if (bag->movable > bag->waiting)
        return wrong (why, "movable: %u, must be at most waiting, %u", bag->movable, bag->waiting);
    return bag->task_s > 0 || wrong (why, "task_load_s: must be more than 0");
}

static const codec_t queued_codec = CODEC_RULED (queued_t, queued_bag, queued_rows, queued_rule);

/*  A page of a member's queue. */
typedef struct {
    member_queue_t queue;
    bool more;
} member_state_t;

static const codec_row_t state_rows [] = {
  ROW_NUMBER ("cpus", member_state_t, queue.cpus, MOST ((int64_t) BILB_SPEED_MAX)),
  ROW_UNUSED ("level_s"),
  ROW_UNUSED ("automatic"),
  ROW_NUMBER ("done_s", member_state_t, queue.done_s, LEAST (0)),
  ROW_NUMBER ("start", member_state_t, queue.start),
  ROW_LIST ("bags", member_state_t, queue.bags, queue.count, queued, 0, ANY_COUNT),
  ROW_FLAG ("more", member_state_t, more),
  ROW_NUMBER ("input_bytes_per_s", member_state_t, queue.input_rate, BETWEEN (0, INPUT_BYTES_MOST)),
};
const codec_t state_page_codec = CODEC (member_state_t, state_answer, state_rows);

bool state_decode (member_queue_t *queue, bool *more, bytes_t body, char why [WHY_BYTES])
{
    member_state_t page;
    if (!codec_decode (&state_page_codec, &page, body, why))
        return false;
    queue->bags =
      must (reallocarray (queue->bags, queue->count + page.queue.count + 1, sizeof *queue->bags));
    for (size_t i = 0; i < page.queue.count; i++)
        queue->bags [queue->count++] = page.queue.bags [i];
    queue->cpus = page.queue.cpus;
    queue->done_s = page.queue.done_s;
    queue->start = page.queue.start;
    queue->input_rate = page.queue.input_rate;
    *more = page.more && page.queue.count > 0;
    codec_clear (&state_page_codec, &page);
    return member_queue_load (queue) <= LOAD_S_MOST ||
           wrong (why, "bags: their load is %g CPU seconds, must be at most %g",
                  member_queue_load (queue), (double) LOAD_S_MOST);
}

static const codec_row_t move_rows [] = {
  ROW_NUMBER ("round", order_t, round),         ROW_NUMBER ("number", order_t, number),
  ROW_ONE ("to", order_t, to, participant_ref), ROW_NUMBER ("bag", order_t, bag),
  ROW_NUMBER ("count", order_t, count),
};
const codec_t move_codec = CODEC (order_t, move_request, move_rows);

static const codec_row_t moved_rows [] = {
  ROW_NUMBER ("moved", balancer_moved_t, moved),
};
const codec_t moved_codec = CODEC (balancer_moved_t, move_answer, moved_rows);

/*  --- questions to the balancer --- */

const codec_t balance_status_codec = CODEC_EMPTY (balance_status_request);

static const codec_row_t balance_history_rows [] = {
  ROW_NUMBER ("from", balance_history_t, from),
};
const codec_t balance_history_codec =
  CODEC (balance_history_t, balance_history_request, balance_history_rows);

/*  The site's own tasks at others, and others' tasks at it, as it told last. */
static void count_moved (const coalition_member_t *member, uint32_t *away, uint32_t *guests)
{
    *away = 0;
    *guests = 0;
    for (size_t i = 0; i < member->queue.count; i++) {
        const queued_t *bag = &member->queue.bags [i];
        *away += bag->away;
        *guests += strcmp (bag->home, member->kept.site) != 0 ? bag->running + bag->waiting : 0;
    }
}

/*  How many times as fast jobs are done as alone: 1 / mean of flow / flow_alone over the
 *  coalitions. As printed, eq 8 would never be above 0; this is what the paper's tables hold. */
static double score_of (const member_kept_t *kept)
{
    return kept->coalitions > 0 ? (double) kept->coalitions / kept->ratios : 0;
}

static void member_put (Musubi__CoalitionMember *to, const coalition_member_t *member)
{
    const member_kept_t *kept = &member->kept;
    to->site = (char *) kept->site;
    to->automatic = kept->automatic;
    to->level_s = kept->level_s;
    to->cpus = member->queue.cpus;
    to->load_s = member_queue_load (&member->queue);
    to->drain_s = to->cpus > 0 ? to->load_s / to->cpus : 0;
    count_moved (member, &to->away, &to->guests);
    to->given_s = kept->given_s;
    to->taken_s = kept->taken_s;
    to->score = score_of (kept);
    to->aside = (char *) kept->aside;
}

static size_t guarantees_put (Musubi__Guarantee **list, const coalition_t *coalition)
{
    size_t count = 0;
    for (job_t *job = NULL; (job = coalition_job_after (coalition, job));) {
        if (job->kept.ended_ms != 0)
            continue;
        Musubi__Guarantee *guarantee = list [count++];
        guarantee->home = job->home;
        guarantee->bag = job->bag;
        guarantee->load_s = job->load_s < 0 ? job->kept.load_s : job->load_s;
        guarantee->submitted_ms = job->kept.submitted_ms;
        guarantee->promised_ms = job->kept.promised_ms;
        guarantee->broken = job->kept.broken;
    }
    return count;
}

/*  As many guarantees as a body holds, in their order. */
static packed_t fitting (Musubi__BalanceStatusAnswer *answer)
{
    while (answer->n_guarantees > 0 &&
           protobuf_c_message_get_packed_size (&answer->base) > BODY_BYTES_MAX - 4096)
        answer->n_guarantees = answer->n_guarantees * 3 / 4;
    return packed_of (&answer->base);
}

packed_t balance_status_encode (const char *name, const coalition_t *coalition,
                                int64_t next_step_ms)
{
    size_t jobs = ordered_count (coalition->jobs) - coalition->jobs_over;
    Musubi__BalanceStatusAnswer answer = MUSUBI__BALANCE_STATUS_ANSWER__INIT;
    ARENA (arena);
    answer.n_members = coalition->members_count;
    answer.members =
      codec_messages (&musubi__coalition_member__descriptor, answer.n_members, &arena);
    for (size_t i = 0; i < answer.n_members; i++)
        member_put (answer.members [i], coalition->members [i]);
    answer.name = (char *) name;
    answer.coalition = coalition->kept.number;
    answer.step = coalition->kept.step;
    answer.formed_ms = coalition->kept.formed_ms;
    answer.next_step_ms = next_step_ms;
    answer.guarantees = codec_messages (&musubi__guarantee__descriptor, jobs, &arena);
    answer.n_guarantees = guarantees_put (answer.guarantees, coalition);
    return fitting (&answer);
}

/*  --- records --- */

static const codec_row_t stored_coalition_rows [] = {
  ROW_NUMBER ("coalition", coalition_kept_t, number),
  ROW_NUMBER ("step", coalition_kept_t, step),
  ROW_NUMBER ("formed_ms", coalition_kept_t, formed_ms),
  ROW_NUMBER ("round", coalition_kept_t, round),
  ROW_NUMBER ("step_before", coalition_kept_t, step_before),
};
const codec_t stored_coalition_codec =
  CODEC (coalition_kept_t, stored_coalition, stored_coalition_rows);

static const codec_row_t stored_member_rows [] = {
  ROW_FLAG ("automatic", member_kept_t, automatic),
  ROW_NUMBER ("declared_s", member_kept_t, declared_s, LEAST (0)),
  ROW_NUMBER ("level_s", member_kept_t, level_s, LEAST (0)),
  ROW_NUMBER ("given_s", member_kept_t, given_s, FINITE),
  ROW_NUMBER ("taken_s", member_kept_t, taken_s, FINITE),
  ROW_NUMBER ("given_before_s", member_kept_t, given_before_s),
  ROW_NUMBER ("taken_before_s", member_kept_t, taken_before_s),
  ROW_NUMBER ("ratios", member_kept_t, ratios, LEAST (0)),
  ROW_NUMBER ("coalitions", member_kept_t, coalitions),
  ROW_TEXT ("aside", member_kept_t, aside, OR_NONE),
  ROW_FLAG ("heard", member_kept_t, heard),
  ROW_NUMBER ("absent", member_kept_t, absent),
};
const codec_t stored_member_codec = CODEC (member_kept_t, stored_member, stored_member_rows);

bool stored_member_decode (member_kept_t *kept, bytes_t key, bytes_t value, char why [WHY_BYTES])
{
    if (key.size == 0 || key.size > NAME_BYTES_MAX)
        return wrong (why, "key: must be the name of a site");
    if (!codec_decode (&stored_member_codec, kept, value, why))
        return false;
    memcpy (kept->site, key.data, key.size);
    return true;
}

static const codec_row_t stored_job_rows [] = {
  ROW_NUMBER ("submitted_ms", job_kept_t, submitted_ms),
  ROW_NUMBER ("load_s", job_kept_t, load_s, LEAST (0)),
  ROW_NUMBER ("promised_ms", job_kept_t, promised_ms),
  ROW_TEXT ("broken", job_kept_t, broken, OR_NONE),
  ROW_NUMBER ("ended_ms", job_kept_t, ended_ms),
  ROW_NUMBER ("task_load_s", job_kept_t, task_s, LEAST (0)),
};
const codec_t stored_job_codec = CODEC (job_kept_t, stored_job, stored_job_rows);

bool stored_job_decode (job_t *job, bytes_t key, bytes_t value, char why [WHY_BYTES])
{
    if (key.size <= 8 || key.size > JOB_KEY_BYTES)
        return wrong (why, "key: must be a bag's number and its home site");
    *job = (job_t){.bag = number_get (key.data, 8)};
    memcpy (job->home, key.data + 8, key.size - 8);
    return codec_decode (&stored_job_codec, &job->kept, value, why);
}

static const codec_row_t stored_order_rows [] = {
  ROW_WORD ("from", order_t, from),
  ROW_ONE ("to", order_t, to, participant_ref),
  ROW_NUMBER ("bag", order_t, bag, LEAST (1)),
  ROW_NUMBER ("count", order_t, count, LEAST (1)),
  ROW_NUMBER ("task_load_s", order_t, task_s, LEAST (0)),
  ROW_FLAG ("homeward", order_t, homeward),
};
const codec_t stored_order_codec = CODEC (order_t, stored_order, stored_order_rows);

bool stored_order_decode (order_t *order, bytes_t key, bytes_t value, char why [WHY_BYTES])
{
    if (key.size != ORDER_KEY_BYTES || number_get (key.data, 8) == 0)
        return wrong (why, "key: must be a round and an order's number");
    if (!codec_decode (&stored_order_codec, order, value, why))
        return false;
    order->round = number_get (key.data, 8);
    order->number = (uint32_t) number_get (key.data + 8, 4);
    return true;
}

static void worth_put (Musubi__MemberRecord *to, const member_worth_t *from)
{
    const member_kept_t *kept = &from->member->kept;
    to->site = (char *) kept->site;
    to->level_s = from->level_s;
    to->given_s = kept->given_s - kept->given_before_s;
    to->taken_s = kept->taken_s - kept->taken_before_s;
    to->jobs = from->jobs;
    to->flow_s = from->flow_s;
    to->flow_alone_s = from->flow_alone_s;
    to->score = score_of (kept);
    to->aside = (char *) kept->aside;
}

packed_t coalition_record_encode (const coalition_t *coalition, int64_t ended_ms,
                                  const member_worth_t *worths, size_t count)
{
    Musubi__CoalitionRecord record = MUSUBI__COALITION_RECORD__INIT;
    ARENA (arena);
    record.n_members = count;
    record.members = codec_messages (&musubi__member_record__descriptor, count, &arena);
    for (size_t i = 0; i < count; i++)
        worth_put (record.members [i], &worths [i]);
    record.coalition = coalition->kept.number;
    record.formed_ms = coalition->kept.formed_ms;
    record.ended_ms = ended_ms;
    record.steps = coalition->kept.step - coalition->kept.step_before;
    return packed_of (&record.base);
}
