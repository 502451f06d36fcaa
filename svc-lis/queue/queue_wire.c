/*  queue_wire - codecs of what the queue is asked and tells, and of what is stored. */
#include "queue_wire.h"

#include "message.h"
#include "must.h"
#include "site.h"
#include "task_files.h"
#include "timetext.h"
#include "transaction.h"

#include "tasks.pb-c.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert ((int) TASK_RETURNED == MUSUBI__TASK_STATE__TASK_RETURNED, "same numbers");

static const codec_row_t task_file_rows [] = {
  ROW_STRING ("name", run_file_t, name, FILE_NAME_BYTES_MAX),
  ROW_STRING ("path", run_file_t, path, TASK_PATH_BYTES_MAX),
};
static const codec_t task_file_codec = CODEC (run_file_t, task_file, task_file_rows);
typedef run_file_t task_file_t;

static const codec_row_t submission_rows [] = {
  ROW_TEXT ("name", submission_t, name, OR_NONE),
  ROW_ONE ("command", submission_t, order, task_command),
  ROW_NUMBER ("count", submission_t, count, LEAST (1)),
  ROW_NUMBER ("cpus", submission_t, order.cpus, BETWEEN (1, CPUS_PER_NODE_MAX)),
  ROW_NUMBER ("limit_ms", submission_t, order.limit_ms, LEAST (1)),
  ROW_NUMBER ("cpu_limit_ms", submission_t, order.cpu_limit_ms, LEAST (0)),
  ROW_NUMBER ("priority", submission_t, priority,
              BETWEEN (-TASK_PRIORITY_MOST, TASK_PRIORITY_MOST)),
  ROW_WORD ("class_name", submission_t, class_name, OR_NONE),
  ROW_STRING ("reservation", submission_t, order.reservation, NAME_BYTES_MAX),
  ROW_FLAG ("preemptible", submission_t, preemptible),
  ROW_FLAG ("requeue", submission_t, requeue),
  ROW_STRING ("need", submission_t, order.need, NAME_BYTES_MAX),
  ROW_FLAG ("shared", submission_t, shared),
  ROW_LIST ("inputs", submission_t, order.inputs, order.inputs_count, task_file, 0, TASK_FILES_MAX),
  ROW_LIST ("outputs", submission_t, order.outputs, order.outputs_count, task_file, 0,
            TASK_FILES_MAX),
  ROW_TEXT ("rank", submission_t, rank, OR_NONE),
  ROW_NUMBER ("gpus", submission_t, order.gpus),
};

static bool submission_rule (void *self, char why [WHY_BYTES])
{
    const submission_t *asked = self;
    const char *reservation = asked->order.reservation;
    const char *need = asked->order.need;
    char text [NAME_BYTES_MAX + 1];
    if (!text_take (text, NAME_BYTES_MAX, reservation, TEXT_WORD_OR_NONE, "reservation", why) ||
        (*need && !text_take (text, NAME_BYTES_MAX, need, TEXT_ANY, "need", why)))
        return false;
    if (*asked->rank) {
        node_rank_t *rank = rank_new (asked->rank, why);
        free (rank);
        if (!rank)
            return false;
    }
    if (*need && !*reservation)
        return wrong (why, "need: %s, but reservation is empty; name the reservation that has it",
                      need);
    if (asked->preemptible && *reservation)
        return wrong (why, "preemptible: a reservation's tasks can't be preemptible; leave out "
                           "preemptible or reservation");
    return !asked->shared || !*reservation ||
           wrong (why, "shared: a reservation's tasks can't move to another site; leave out "
                       "shared or reservation");
}

const codec_t submission_codec =
  CODEC_RULED (submission_t, submit_request, submission_rows, submission_rule);

static bool limits_right (submission_t *asked, const submitter_t *by, char why [WHY_BYTES])
{
    run_order_t *order = &asked->order;
    char asks [TIMETEXT_BYTES], most [TIMETEXT_BYTES];
    if (asked->count > by->count_max)
        return wrong (why, "count: %u should be 1 to %u", asked->count, by->count_max);
    if (order->limit_ms > by->limit_ms_max)
        return wrong (why, "limit_ms: %s, but at most %s is allowed (limits/task_limit)",
                      timetext_format_duration (order->limit_ms, asks),
                      timetext_format_duration (by->limit_ms_max, most));
    int64_t cpu_ms_most = order->limit_ms * order->cpus;
    if (order->cpu_limit_ms > cpu_ms_most)
        return wrong (why, "cpu_limit_ms: %s, but at most %s is allowed (cpus times limit_ms)",
                      timetext_format_duration (order->cpu_limit_ms, asks),
                      timetext_format_duration (cpu_ms_most, most));
    if (order->cpu_limit_ms == 0)
        order->cpu_limit_ms = cpu_ms_most;
    return run_order_check (order, why) && task_files_check (order, asked->count, why);
}

bool submit_decode (submission_t *asked, bytes_t body, const submitter_t *by, char why [WHY_BYTES])
{
    if (!codec_decode (&submission_codec, asked, body, why))
        return false;
    asked->order.account = must (strdup (by->account));
    asked->order.owner = must (strdup (by->owner));
    if (limits_right (asked, by, why))
        return true;
    submission_clear (asked);
    return false;
}

static const codec_row_t submitted_rows [] = {
  ROW_NUMBER ("bag", bag_t, number),
};
const codec_t submitted_codec = CODEC (bag_t, submit_answer, submitted_rows);

static const codec_row_t bags_question_rows [] = {
  ROW_WORD ("owner", bags_question_t, owner, OR_NONE),
  ROW_NUMBER ("after", bags_question_t, after),
  ROW_NUMBER ("most", bags_question_t, most),
  ROW_FLAG ("over", bags_question_t, over),
};
const codec_t bags_question_codec = CODEC (bags_question_t, queue_request, bags_question_rows);

static const codec_row_t tasks_question_rows [] = {
  ROW_NUMBER ("bag", tasks_question_t, bag),
  ROW_NUMBER ("from", tasks_question_t, from),
  ROW_NUMBER ("most", tasks_question_t, most),
};
const codec_t tasks_question_codec = CODEC (tasks_question_t, tasks_request, tasks_question_rows);

static const codec_row_t cancel_rows [] = {
  ROW_NUMBER ("bag", cancel_t, bag),
  ROW_FLAG ("one", cancel_t, one),
  ROW_NUMBER ("index", cancel_t, index),
};
const codec_t cancel_codec = CODEC (cancel_t, cancel_request, cancel_rows);

static const codec_row_t output_question_rows [] = {
  ROW_ONE ("task", output_question_t, task, task_id),
  ROW_FLAG ("errors", output_question_t, errors),
  ROW_NUMBER ("offset", output_question_t, offset),
  ROW_NUMBER ("most", output_question_t, most),
};
const codec_t output_question_codec =
  CODEC (output_question_t, output_request, output_question_rows);

bytes_t bag_key_pack (uint64_t bag, uint8_t key [BAG_KEY_BYTES])
{
    number_put (key, bag, BAG_KEY_BYTES);
    return (bytes_t){key, BAG_KEY_BYTES};
}

bool bag_key_unpack (uint64_t *bag, bytes_t key)
{
    *bag = key.size == BAG_KEY_BYTES ? number_get (key.data, BAG_KEY_BYTES) : 0;
    return *bag > 0;
}

bytes_t task_key_pack (const task_id_t *task, uint8_t key [TASK_KEY_BYTES])
{
    number_put (key, task->bag, BAG_KEY_BYTES);
    number_put (key + BAG_KEY_BYTES, task->index, TASK_KEY_BYTES - BAG_KEY_BYTES);
    return (bytes_t){key, TASK_KEY_BYTES};
}

bool task_key_unpack (task_id_t *task, bytes_t key)
{
    if (key.size != TASK_KEY_BYTES)
        return false;
    task->bag = number_get (key.data, BAG_KEY_BYTES);
    task->index = (uint32_t) number_get (key.data + BAG_KEY_BYTES, TASK_KEY_BYTES - BAG_KEY_BYTES);
    return task->bag > 0;
}

static const codec_row_t guest_rows [] = {
  ROW_ONE ("move", guest_origin_t, move, txid),
  ROW_ONE ("home", guest_origin_t, home, participant_ref),
  ROW_NUMBER ("bag", guest_origin_t, bag),
  ROW_NUMBER ("first", guest_origin_t, first),
  ROW_NUMBER ("count", guest_origin_t, count, LEAST (1)),
};
static const codec_t guest_origin_codec = CODEC (guest_origin_t, guest_bag, guest_rows);

static const codec_row_t stored_bag_rows [] = {
  ROW_BYTES ("submitted", stored_bag_t, submitted.data, submitted.size, RECORD_BYTES_MAX),
  ROW_WORD ("owner", stored_bag_t, owner),
  ROW_STRING ("account", stored_bag_t, asked.order.account, ACCOUNT_BYTES_MAX),
  ROW_WORD ("request_id", stored_bag_t, request_id, OR_NONE),
  ROW_NUMBER ("submitted_ms", stored_bag_t, submitted_ms),
  ROW_FLAG ("cancelled", stored_bag_t, cancelled),
  ROW_NUMBER ("over_ms", stored_bag_t, over_ms),
  ROW_POINTER ("guest", stored_bag_t, guest, guest_origin),
};
const codec_t stored_bag_codec = CODEC (stored_bag_t, stored_bag, stored_bag_rows);

static bool queue_guest_right (stored_bag_t *bag, char why [WHY_BYTES])
{
    const guest_origin_t *guest = bag->guest;
    if (guest->count > bag->asked.count || guest->first > bag->asked.count - guest->count)
        return wrong (why, "guest.count: %u tasks from %u on, but the bag has %u", guest->count,
                      guest->first, bag->asked.count);
    submission_of_guests (&bag->asked, guest->first, guest->count);
    return true;
}

/*  A bag that was taken once is not judged by the limits of today. */
bool stored_bag_decode (stored_bag_t *bag, bytes_t record, char why [WHY_BYTES])
{
    if (!codec_decode (&stored_bag_codec, bag, record, why))
        return false;
    char *account = (char *) bag->asked.order.account;
    submitter_t by = {.owner = bag->owner,
                      .account = account,
                      .count_max = UINT32_MAX,
                      .limit_ms_max = TASK_LIMIT_MS_MOST};
    bool good = submit_decode (&bag->asked, packed_bytes (bag->submitted), &by, why);
    free (account);
    if (good && (!bag->guest || queue_guest_right (bag, why)))
        return true;
    submission_clear (&bag->asked);
    codec_clear (&stored_bag_codec, bag);
    return false;
}

static const codec_row_t stored_task_rows [] = {
  ROW_ENUM ("state", task_t, state, TASK_STATES - 1),
  ROW_NUMBER ("stop", task_t, stop, MOST (STOPS - 1)),
  ROW_NUMBER ("tries", task_t, tries),
  ROW_STRING ("node", task_t, node_name, NAME_BYTES_MAX),
  ROW_NUMBER ("until_ms", task_t, slot.until_ms),
  ROW_FLAG ("booked", task_t, slot.booked),
  ROW_NUMBER ("started_ms", task_t, started_ms),
  ROW_NUMBER ("ended_ms", task_t, ended_ms),
  ROW_NUMBER ("exit_code", task_t, exit_code),
  ROW_NUMBER ("signal", task_t, signal),
  ROW_NUMBER ("cpu_ms", task_t, cpu_ms),
  ROW_STRING ("why", task_t, why, RECORD_BYTES_MAX),
  ROW_UNUSED ("move"), /* in its trip, which most tasks have not */
  ROW_UNUSED ("site"),
  ROW_FLAG ("told", task_t, told),
  ROW_NUMBER ("dropped", task_t, dropped),
  ROW_NUMBER ("files", task_t, files_state, MOST (FILES_STATES - 1)),
  ROW_STRING ("storage", task_t, storage, NAME_BYTES_MAX),
  ROW_NUMBER ("left_ms", task_t, left_ms, LEAST (0)),
};
const codec_t stored_task_codec = CODEC (task_t, stored_task, stored_task_rows);

packed_t stored_task_encode (const task_t *task)
{
    ARENA (arena);
    Musubi__StoredTask *stored = codec_put (&stored_task_codec, task, &arena);
    if (task->trip) {
        stored->move = codec_put (&txid_codec, &task->trip->move, &arena);
        stored->site = task->trip->site;
    }
    return packed_of (&stored->base);
}

static bool trip_take (task_t *task, const Musubi__StoredTask *stored, char why [WHY_BYTES])
{
    trip_t trip;
    if (!stored->move)
        return task->state != TASK_AWAY || wrong (why, "move: missing, though the task is away");
    if (!codec_take (&txid_codec, &trip.move, stored->move, why) ||
        !text_take (trip.site, NAME_BYTES_MAX, stored->site, TEXT_WORD, "site", why))
        return false;
    task->trip = must_copy (&trip, sizeof trip);
    return true;
}

bool stored_task_decode (task_t *task, bytes_t record, char why [WHY_BYTES])
{
    ARENA (arena);
    task_t taken = {0};
    const Musubi__StoredTask *stored =
      codec_unpack (&musubi__stored_task__descriptor, record, &arena, why);
    bool good = stored && codec_take (&stored_task_codec, &taken, stored, why) &&
                trip_take (&taken, stored, why);
    if (!good) {
        codec_clear (&stored_task_codec, &taken);
        return false;
    }
    taken.node = task->node;
    codec_clear (&stored_task_codec, task);
    *task = taken;
    return true;
}
