/*  sharing_moves - the site as home: a move is stored together with its tasks, which are away from
 *  then on; only the store that was offered them can give them back.
 */
#include "sharing_state.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int sharing_moves_by_id (const void *key, const void *thing)
{
    return txid_compare (key, &((const move_t *) thing)->kept.id);
}

/*  --- what is kept --- */

static void move_put (sharing_t *self, const move_t *move)
{
    uint8_t key [TXID_BYTES];
    txid_pack (&move->kept.id, key);
    service_put (self->service, TABLE_MOVES, (bytes_t){key, sizeof key},
                 codec_encode (&stored_move_codec, &move->kept));
}

static move_t *move_add (sharing_t *self, const stored_move_t *kept)
{
    move_t *move = must (calloc (1, sizeof *move));
    move->sharing = self;
    move->kept = *kept;
    ordered_add (self->moves, &move->kept.id, move);
    return move;
}

static void move_end (move_t *move)
{
    sharing_t *self = move->sharing;
    calls_cancel (self->service->calls, move->accepting);
    calls_cancel (self->service->calls, move->withdrawing);
    timers_cancel (self->service->timers, move->again_timer);
    ordered_remove (self->moves, &move->kept.id);
    free (move);
}

static void move_forget (move_t *move)
{
    uint8_t key [TXID_BYTES];
    txid_pack (&move->kept.id, key);
    outbox_delete (move->sharing->service->outbox, TABLE_MOVES, (bytes_t){key, sizeof key});
    move_end (move);
}

static void sharing_moves_on_record (void *owner, bytes_t key, bytes_t value)
{
    sharing_t *self = owner;
    stored_move_t kept;
    char why [WHY_BYTES];
    if (codec_decode (&stored_move_codec, &kept, value, why) &&
        (txid_unpack (&kept.id, key) || wrong (why, "its key is malformed")))
        move_add (self, &kept);
    else
        service_bad_record (self->service, "moves", why);
}

/*  Has this move taken the task away? */
static bool away_by (const bag_t *bag, uint32_t index, const txid_t *move)
{
    const task_t *task = bag_task (bag, index);
    return task && task->state == TASK_AWAY && txid_same (&task->trip->move, move);
}

/*  --- back home --- */

/*  The task waits here again, or is cancelled if it was cancelled meanwhile. */
static void back_home (sharing_t *self, bag_t *bag, uint32_t index)
{
    task_t *task = bag_task (bag, index);
    bool wanted = !bag->cancelled && task->stop == STOP_NONE;
    free (task->trip);
    task->trip = NULL;
    task->stop = STOP_NONE;
    if (!wanted)
        task_text (&task->why, "cancelled while it was away");
    task_move (self->bags, bag, index, wanted ? TASK_QUEUED : TASK_CANCELLED);
    queue_put_task (self->queue, bag, index);
}

static void lose (sharing_t *self, bag_t *bag, uint32_t index, int64_t now_ms, const char *why)
{
    task_t *task = bag_task (bag, index);
    task->ended_ms = now_ms;
    task_text (&task->why, why);
    task_move (self->bags, bag, index, TASK_LOST);
    queue_put_task (self->queue, bag, index);
}

/*  Ends a move: all its tasks that are away are lost, or come back home. */
static void move_over (move_t *move, const moment_t *now, bool lost, const char *why)
{
    sharing_t *self = move->sharing;
    bag_t *bag = bags_find (self->bags, move->kept.bag);
    for (uint32_t i = move->kept.first; bag && i - move->kept.first < move->kept.count; i++) {
        if (!away_by (bag, i, &move->kept.id))
            continue;
        if (lost)
            lose (self, bag, i, queue_now_ms (self->queue, now), why);
        else
            back_home (self, bag, i);
    }
    if (bag) {
        queue_settle (self->queue, now, bag);
        queue_soon (self->queue);
    }
    move_forget (move);
}

static void sharing_moves_refused (move_t *move, const moment_t *now, const char *why)
{
    sharing_t *self = move->sharing;
    char text [TXID_TEXT_BYTES];
    outbox_log (self->service->outbox, LEVEL_WARNING, "move %s refused by=%s bag=%" PRIu64 ": %s",
                txid_text (&move->kept.id, text), move->kept.to.name, move->kept.bag, why);
    service_count (self->service, "moves_refused", 1);
    move_over (move, now, false, why);
}

void sharing_move_lost (move_t *move, const moment_t *now, const char *why)
{
    sharing_t *self = move->sharing;
    char text [TXID_TEXT_BYTES];
    outbox_log (self->service->outbox, LEVEL_ALARM,
                "move %s lost at=%s bag=%" PRIu64 " tasks=%" PRIu32 ": %s",
                txid_text (&move->kept.id, text), move->kept.to.name, move->kept.bag, move->left,
                why);
    service_count (self->service, "tasks_lost_away", move->left);
    move_over (move, now, true, why);
}

/*  --- calls --- */

static void drive (move_t *move, const moment_t *now);

static void sharing_moves_on_again (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    move_t *move = owner;
    move->again_timer = 0;
    drive (move, now);
}

/*  The answer has settled nothing, because it came from another store, say: the question is
 *  repeated after a pause. */
static void unsettled (move_t *move, const moment_t *now, const char *method, const char *reason)
{
    sharing_t *self = move->sharing;
    char text [TXID_TEXT_BYTES];
    outbox_log (self->service->outbox, LEVEL_WARNING, "move %s %s at=%s: %s",
                txid_text (&move->kept.id, text), method, move->kept.to.name, reason);
    if (move->again_timer == 0)
        move->again_timer = timers_set (self->service->timers, now->mono_ms + self->limits.again_ms,
                                        sharing_moves_on_again, move, 0);
}

static void on_answered (void *owner, const moment_t *now, uint64_t token,
                         const call_result_t *result)
{
    (void) token;
    move_t *move = owner;
    accept_answer_t given;
    char why [WHY_BYTES];
    move->accepting = 0;
    if (!call_take (result, &accept_answer_codec, &given, why)) {
        unsettled (move, now, "Accept", why);
    } else if (!given.accepted) {
        sharing_moves_refused (move, now, given.why);
    } else {
        move->kept.accepted = true;
        move_put (move->sharing, move);
        drive (move, now);
    }
}

static packed_t offer_of (const sharing_t *self, const move_t *move, const bag_t *bag)
{
    offer_message_t offer = {.move = move->kept.id,
                             .submitted = bag->submitted,
                             .bag = bag->number,
                             .first = move->kept.first,
                             .count = move->kept.count,
                             .offered_ms = move->kept.offered_ms};
    snprintf (offer.home.name, sizeof offer.home.name, "%s", self->service->name);
    snprintf (offer.home.endpoint, sizeof offer.home.endpoint, "%s", self->service->endpoint);
    memcpy (offer.home.store, move->kept.id.store, STORE_ID_BYTES);
    memcpy (offer.balancer, move->kept.balancer, sizeof offer.balancer);
    memcpy (offer.owner, bag->owner, sizeof offer.owner);
    return codec_encode (&offer_message_codec, &offer);
}

static void on_withdrawn (void *owner, const moment_t *now, uint64_t token,
                          const call_result_t *result)
{
    (void) token;
    move_t *move = owner;
    move->withdrawing = 0;
    if (result->status == CALL_NOT_FOUND) {
        sharing_move_lost (move, now, result->reason);
    } else if (result->status != CALL_OK) {
        move->withdraw = true;
        unsettled (move, now, "Cancel", result->reason);
    } else {
        drive (move, now);
    }
}

static void sharing_moves_withdraw (move_t *move, const moment_t *now, const bag_t *bag)
{
    sharing_t *self = move->sharing;
    guest_cancel_t order = {.move = move->kept.id};
    order.indices = must (calloc ((size_t) move->kept.count + 1, sizeof *order.indices));
    for (uint32_t i = move->kept.first; i - move->kept.first < move->kept.count; i++)
        if (away_by (bag, i, &move->kept.id) && bag_task (bag, i)->stop == STOP_CANCELLED)
            order.indices [order.count++] = i;
    move->withdraw = false;
    if (order.count > 0)
        move->withdrawing =
          sharing_call (self, now, &move->kept.to, "Cancel",
                        codec_encode (&guest_cancel_codec, &order), on_withdrawn, move);
    codec_clear (&guest_cancel_codec, &order);
}

/*  Asks the other site what is to be asked of it, if anything. */
static void drive (move_t *move, const moment_t *now)
{
    sharing_t *self = move->sharing;
    const bag_t *bag = bags_find (self->bags, move->kept.bag);
    if (!bag)
        return;
    if (!move->kept.accepted && move->accepting == 0)
        move->accepting = sharing_call (self, now, &move->kept.to, "Accept",
                                        offer_of (self, move, bag), on_answered, move);
    else if (move->kept.accepted && move->withdraw && move->withdrawing == 0)
        sharing_moves_withdraw (move, now, bag);
}

/*  --- sending --- */

static void sharing_moves_send_piece (sharing_t *self, const moment_t *now, bag_t *bag,
                                      const participant_ref_t *to, uint32_t first, uint32_t count)
{
    stored_move_t kept = {.id = {.start = self->service->store.start, .counter = ++self->counter},
                          .to = *to,
                          .bag = bag->number,
                          .first = first,
                          .count = count,
                          .offered_ms = now->wall_ms};
    memcpy (kept.id.store, self->service->store.id, STORE_ID_BYTES);
    memcpy (kept.balancer, self->membership.balancer, sizeof kept.balancer);
    move_t *move = move_add (self, &kept);
    move->left = count;
    for (uint32_t i = first; i - first < count; i++) {
        task_t *task = bag_task (bag, i);
        if (!task)
            task = bag_task_new (bag, i);
        task->trip = must (malloc (sizeof *task->trip));
        task->trip->move = kept.id;
        memcpy (task->trip->site, to->name, sizeof task->trip->site);
        task_move (self->bags, bag, i, TASK_AWAY);
        queue_put_task (self->queue, bag, i);
    }
    move_put (self, move);
    drive (move, now);
}

uint32_t sharing_send (sharing_t *self, const moment_t *now, bag_t *bag,
                       const participant_ref_t *to, uint32_t count)
{
    uint32_t moved = 0;
    for (uint32_t pieces = 0; pieces < self->limits.pieces_max && moved < count; pieces++) {
        uint32_t first;
        uint32_t most =
          count - moved < self->limits.move_max ? count - moved : self->limits.move_max;
        uint32_t piece = bag_tail (bag, most, &first);
        if (piece == 0)
            break;
        sharing_moves_send_piece (self, now, bag, to, first, piece);
        moved += piece;
    }
    if (moved > 0) {
        outbox_log (self->service->outbox, LEVEL_INFO, "bag %" PRIu64 " moves to=%s tasks=%" PRIu32,
                    bag->number, to->name, moved);
        service_count (self->service, "tasks_moved", moved);
        queue_settle (self->queue, now, bag);
        queue_soon (self->queue);
    }
    return moved;
}

uint32_t sharing_withdraw (void *owner, const moment_t *now, bag_t *bag, uint32_t from,
                           uint32_t until)
{
    sharing_t *self = owner;
    uint32_t count = 0;
    for (uint32_t i = from; i < until && i < bag->tasks_room && bag->away > 0; i++) {
        task_t *task = bag_task (bag, i);
        if (!task || task->state != TASK_AWAY || task->stop != STOP_NONE)
            continue;
        task->stop = STOP_CANCELLED;
        queue_put_task (self->queue, bag, i);
        move_t *move = ordered_find (self->moves, &task->trip->move);
        if (move)
            move->withdraw = true;
        count++;
    }
    for (move_t *move = ordered_after (self->moves, NULL); count > 0 && move;
         move = ordered_after (self->moves, &move->kept.id))
        if (move->withdraw && move->kept.bag == bag->number)
            drive (move, now);
    return count;
}

/*  --- their ends --- */

static void end_take (sharing_t *self, bag_t *bag, const guest_end_t *end)
{
    task_t *task = bag_task (bag, end->index);
    if (end->state == TASK_RETURNED) {
        back_home (self, bag, end->index);
        return;
    }
    task->tries = end->tries;
    task->started_ms = end->started_ms;
    task->ended_ms = end->ended_ms;
    task->exit_code = end->exit_code;
    task->signal = end->signal;
    task->cpu_ms = end->cpu_ms;
    task->dropped = end->dropped;
    task_text (&task->node_name, end->node);
    task_text (&task->why, end->why);
    task_move (self->bags, bag, end->index, end->state);
    queue_put_task (self->queue, bag, end->index);
    outbox_log (self->service->outbox, LEVEL_INFO,
                "task %" PRIu64 ".%" PRIu32 " over at=%s exit_code=%d signal=%d", bag->number,
                end->index, task->trip->site, task->exit_code, task->signal);
}

/*  Takes ends of tasks; those that are not away by this move any more have been taken before. */
static void ends_take (sharing_t *self, const moment_t *now, const ends_t *ends, const char *host)
{
    bag_t *bag = bags_find (self->bags, ends->bag);
    uint32_t taken = 0;
    for (size_t i = 0; bag && i < ends->count; i++) {
        if (!away_by (bag, ends->ends [i].index, &ends->move) ||
            strcmp (bag_task (bag, ends->ends [i].index)->trip->site, host) != 0)
            continue;
        end_take (self, bag, &ends->ends [i]);
        taken++;
    }
    if (taken == 0)
        return;
    service_count (self->service, "tasks_back", taken);
    move_t *move = ordered_find (self->moves, &ends->move);
    if (move) {
        assert (move->left >= taken);
        move->left -= taken;
        if (move->left == 0)
            move_forget (move);
    }
    queue_settle (self->queue, now, bag);
    queue_soon (self->queue);
}

static void sharing_moves_on_ended (void *owner, const moment_t *now, const request_t *request,
                                    void *body)
{
    sharing_t *self = owner;
    const ends_t *ends = body;
    ends_take (self, now, ends, request->actor);
    service_reply (self->service, request, (packed_t){0});
}

/*  --- output --- */

static void sharing_moves_on_output (void *owner, const moment_t *now, uint64_t reply_to,
                                     const call_result_t *result)
{
    (void) now;
    outbox_t *outbox = ((sharing_t *) owner)->service->outbox;
    if (result->status == CALL_OK)
        outbox_reply (outbox, reply_to, result->body);
    else
        outbox_refuse (outbox, reply_to, CALL_NOT_FOUND,
                       result->status == CALL_TIMED_OUT
                         ? "the site that has the output does not answer"
                         : result->reason);
}

void sharing_output (void *owner, const moment_t *now, const request_t *request, const task_t *task,
                     const output_question_t *question)
{
    sharing_t *self = owner;
    const move_t *move = ordered_find (self->moves, &task->trip->move);
    guest_output_t asked = {
      .move = task->trip->move, .index = question->task.index, .question = *question};
    packed_t body = codec_encode (&guest_output_codec, &asked);
    call_order_t order = {.peer = task->trip->site,
                          .endpoint = move ? move->kept.to.endpoint : "",
                          .service = "Sharing",
                          .method = "Output",
                          .timeout_ms = self->limits.timeout_ms,
                          .tries_max = 1};
    service_ask (self->service, now, &order, body, sharing_moves_on_output, self,
                 request->reply_to);
}

/*  --- their life --- */

static void left_count (move_t *move)
{
    const bag_t *bag = bags_find (move->sharing->bags, move->kept.bag);
    for (uint32_t i = 0; bag && i < move->kept.count; i++)
        if (away_by (bag, move->kept.first + i, &move->kept.id)) {
            move->left++;
            if (bag_task (bag, move->kept.first + i)->stop == STOP_CANCELLED)
                move->withdraw = true;
        }
}

void sharing_moves_start (sharing_t *self, const moment_t *now)
{
    for (move_t *move = ordered_after (self->moves, NULL), *next; move; move = next) {
        left_count (move);
        txid_t id = move->kept.id;
        if (move->left > 0)
            drive (move, now);
        else
            move_forget (move);
        next = ordered_after (self->moves, &id);
    }
}

void sharing_moves_serve (sharing_t *self)
{
    self->moves = ordered_new (sharing_moves_by_id);
    service_serve (self->service, "Sharing", "Ended", &ends_codec, ALWAYS, sharing_moves_on_ended,
                   self);
    service_load (self->service, TABLE_MOVES, sharing_moves_on_record, self);
}

void sharing_moves_destroy (sharing_t *self)
{
    for (move_t *move; (move = ordered_after (self->moves, NULL));)
        move_end (move);
    ordered_destroy (&self->moves);
}
