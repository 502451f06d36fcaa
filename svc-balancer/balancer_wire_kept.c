/*  balancer_wire_kept - protobuf <-> plain values: what is kept on disk. */
#include "balancer_wire.h"

#include "balance.pb-c.h"
#include "message.h"
#include "transaction_wire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t number_of (const uint8_t *from, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++)
        number = number << 8 | from [i];
    return number;
}

static bool amount (double value)
{
    return isfinite (value) && value >= 0;
}

/*  May be empty. */
static bool reason_take (char *to, size_t bytes, const char *from, const char *field,
                         char why [WHY_BYTES])
{
    *to = '\0';
    return *from == '\0' || text_take (to, bytes - 1, from, TEXT_ANY, field, why);
}

packed_t stored_coalition_encode (const coalition_kept_t *kept)
{
    Musubi__StoredCoalition stored = MUSUBI__STORED_COALITION__INIT;
    stored.coalition = kept->number;
    stored.step = kept->step;
    stored.formed_ms = kept->formed_ms;
    stored.round = kept->round;
    stored.step_before = kept->step_before;
    return packed_of (&stored.base);
}

bool stored_coalition_decode (coalition_kept_t *kept, bytes_t value, char why [WHY_BYTES])
{
    Musubi__StoredCoalition *stored =
      (Musubi__StoredCoalition *) message_unpack (&musubi__stored_coalition__descriptor, value);
    if (!stored)
        return wrong (why, "not a StoredCoalition");
    *kept = (coalition_kept_t){.number = stored->coalition,
                               .step = stored->step,
                               .step_before = stored->step_before,
                               .formed_ms = stored->formed_ms,
                               .round = stored->round};
    message_free (&stored->base);
    return true;
}

packed_t stored_member_encode (const member_kept_t *kept)
{
    Musubi__StoredMember stored = MUSUBI__STORED_MEMBER__INIT;
    stored.automatic = kept->automatic;
    stored.declared_s = kept->declared_s;
    stored.level_s = kept->level_s;
    stored.given_s = kept->given_s;
    stored.taken_s = kept->taken_s;
    stored.given_before_s = kept->given_before_s;
    stored.taken_before_s = kept->taken_before_s;
    stored.ratios = kept->ratios;
    stored.coalitions = kept->coalitions;
    stored.aside = (char *) kept->aside;
    stored.heard = kept->heard;
    stored.absent = kept->absent;
    return packed_of (&stored.base);
}

static bool member_take (member_kept_t *to, const Musubi__StoredMember *from, char why [WHY_BYTES])
{
    to->automatic = from->automatic;
    to->declared_s = from->declared_s;
    to->level_s = from->level_s;
    to->given_s = from->given_s;
    to->taken_s = from->taken_s;
    to->given_before_s = from->given_before_s;
    to->taken_before_s = from->taken_before_s;
    to->ratios = from->ratios;
    to->coalitions = from->coalitions;
    to->heard = from->heard;
    to->absent = from->absent;
    return reason_take (to->aside, ASIDE_BYTES, from->aside, "aside", why) &&
           ((amount (to->level_s) && amount (to->declared_s) && amount (to->ratios) &&
             isfinite (to->given_s) && isfinite (to->taken_s)) ||
            wrong (why, "level_s, given_s, taken_s, ratios: no amounts"));
}

bool stored_member_decode (member_kept_t *kept, bytes_t key, bytes_t value, char why [WHY_BYTES])
{
    if (key.size == 0 || key.size > NAME_BYTES_MAX)
        return wrong (why, "key: no site's name");
    Musubi__StoredMember *stored =
      (Musubi__StoredMember *) message_unpack (&musubi__stored_member__descriptor, value);
    if (!stored)
        return wrong (why, "not a StoredMember");
    *kept = (member_kept_t){.automatic = false};
    memcpy (kept->site, key.data, key.size);
    bool good = member_take (kept, stored, why);
    message_free (&stored->base);
    return good;
}

packed_t stored_job_encode (const job_kept_t *kept)
{
    Musubi__StoredJob stored = MUSUBI__STORED_JOB__INIT;
    stored.submitted_ms = kept->submitted_ms;
    stored.load_s = kept->load_s;
    stored.promised_ms = kept->promised_ms;
    stored.broken = (char *) kept->broken;
    stored.ended_ms = kept->ended_ms;
    stored.task_load_s = kept->task_s;
    return packed_of (&stored.base);
}

bool stored_job_decode (job_t *job, bytes_t key, bytes_t value, char why [WHY_BYTES])
{
    if (key.size <= 8 || key.size > JOB_KEY_BYTES)
        return wrong (why, "key: no bag and home");
    Musubi__StoredJob *stored =
      (Musubi__StoredJob *) message_unpack (&musubi__stored_job__descriptor, value);
    if (!stored)
        return wrong (why, "not a StoredJob");
    *job = (job_t){.bag = number_of (key.data, 8),
                   .kept = {.submitted_ms = stored->submitted_ms,
                            .load_s = stored->load_s,
                            .task_s = stored->task_load_s,
                            .promised_ms = stored->promised_ms,
                            .ended_ms = stored->ended_ms}};
    memcpy (job->home, key.data + 8, key.size - 8);
    bool good =
      reason_take (job->kept.broken, BROKEN_BYTES, stored->broken, "broken", why) &&
      ((amount (stored->load_s) && amount (stored->task_load_s)) || wrong (why, "load_s: no load"));
    message_free (&stored->base);
    return good;
}

packed_t stored_order_encode (const order_t *order)
{
    Musubi__StoredOrder stored = MUSUBI__STORED_ORDER__INIT;
    Musubi__Party to = MUSUBI__PARTY__INIT;
    party_put (&to, &order->to);
    stored.from = (char *) order->from;
    stored.to = &to;
    stored.bag = order->bag;
    stored.count = order->count;
    stored.task_load_s = order->task_s;
    stored.homeward = order->homeward;
    return packed_of (&stored.base);
}

bool stored_order_decode (order_t *order, bytes_t key, bytes_t value, char why [WHY_BYTES])
{
    if (key.size != ORDER_KEY_BYTES)
        return wrong (why, "key: no round and number");
    Musubi__StoredOrder *stored =
      (Musubi__StoredOrder *) message_unpack (&musubi__stored_order__descriptor, value);
    if (!stored)
        return wrong (why, "not a StoredOrder");
    *order = (order_t){.round = number_of (key.data, 8),
                       .number = (uint32_t) number_of (key.data + 8, 4),
                       .bag = stored->bag,
                       .count = stored->count,
                       .task_s = stored->task_load_s,
                       .homeward = stored->homeward};
    bool good =
      text_take (order->from, NAME_BYTES_MAX, stored->from, TEXT_WORD, "from", why) &&
      party_take (&order->to, stored->to, "to", why) &&
      ((order->round > 0 && order->bag > 0 && order->count > 0 && amount (order->task_s)) ||
       wrong (why, "round, bag, count: they count from 1"));
    message_free (&stored->base);
    return good;
}

static void worth_put (Musubi__MemberRecord *to, const member_worth_t *from)
{
    const member_kept_t *kept = &from->member->kept;
    to->site = (char *) kept->site;
    to->level_s = kept->level_s;
    to->given_s = kept->given_s - kept->given_before_s;
    to->taken_s = kept->taken_s - kept->taken_before_s;
    to->jobs = from->jobs;
    to->flow_s = from->flow_s;
    to->flow_alone_s = from->flow_alone_s;
    to->score = kept->coalitions > 0 ? (double) kept->coalitions / kept->ratios : 0;
    to->aside = (char *) kept->aside;
}

packed_t coalition_record_encode (const coalition_t *coalition, int64_t ended_ms,
                                  const member_worth_t *worths, size_t count)
{
    Musubi__CoalitionRecord record = MUSUBI__COALITION_RECORD__INIT;
    Musubi__MemberRecord **list = messages_new (&musubi__member_record__descriptor, count);
    for (size_t i = 0; i < count; i++)
        worth_put (list [i], &worths [i]);
    record.coalition = coalition->kept.number;
    record.formed_ms = coalition->kept.formed_ms;
    record.ended_ms = ended_ms;
    record.steps = coalition->kept.step - coalition->kept.step_before;
    record.n_members = count;
    record.members = list;
    packed_t packed = packed_of (&record.base);
    free (list);
    return packed;
}

bool coalition_record_check (bytes_t key, bytes_t value, uint64_t *number, char why [WHY_BYTES])
{
    if (key.size != 8)
        return wrong (why, "key: no coalition's number");
    ProtobufCMessage *record = message_unpack (&musubi__coalition_record__descriptor, value);
    if (!record)
        return wrong (why, "not a CoalitionRecord");
    *number = number_of (key.data, 8);
    message_free (record);
    return true;
}
