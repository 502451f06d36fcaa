/*  balancer_wire - protobuf <-> plain values: what is asked and told. */
#include "balancer_wire.h"

#include "balance.pb-c.h"
#include "bilb.h"
#include "message.h"
#include "must.h"
#include "transaction_wire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL_S_MOST 1e9
#define LOAD_S_MOST  1e13 /* of one member */

/*  --- members are asked --- */

packed_t membership_question_encode (void)
{
    Musubi__MembershipRequest request = MUSUBI__MEMBERSHIP_REQUEST__INIT;
    return packed_of (&request.base);
}

static bool level_check (double level_s, char why [WHY_BYTES])
{
    return (isfinite (level_s) && level_s >= 0 && level_s <= LEVEL_S_MOST) ||
           wrong (why, "level_s: %g should be 0 to %g seconds", level_s, LEVEL_S_MOST);
}

bool membership_decode (terms_t *terms, bytes_t body, char why [WHY_BYTES])
{
    Musubi__MembershipAnswer *from =
      (Musubi__MembershipAnswer *) message_unpack (&musubi__membership_answer__descriptor, body);
    if (!from)
        return wrong (why, "not a MembershipAnswer");
    *terms = (terms_t){.level_s = from->level_s, .automatic = from->automatic};
    bool good = text_take (terms->balancer, NAME_BYTES_MAX, from->balancer, TEXT_WORD_OR_NONE,
                           "balancer", why) &&
                level_check (terms->level_s, why);
    message_free (&from->base);
    return good;
}

packed_t state_question_encode (uint64_t after)
{
    Musubi__StateRequest request = MUSUBI__STATE_REQUEST__INIT;
    request.after = after;
    return packed_of (&request.base);
}

static bool load_valid (double load_s)
{
    return isfinite (load_s) && load_s >= 0 && load_s <= LOAD_S_MOST;
}

static bool queued_take (queued_t *to, const Musubi__QueuedBag *from, char why [WHY_BYTES])
{
    *to = (queued_t){.bag = from->bag,
                     .home_bag = from->home_bag,
                     .running = from->running,
                     .waiting = from->waiting,
                     .movable = from->movable,
                     .away = from->away,
                     .task_s = from->task_load_s,
                     .running_s = from->running_load_s,
                     .submitted_ms = from->submitted_ms};
    if (!text_take (to->home, NAME_BYTES_MAX, from->home, TEXT_WORD, "bags.home", why))
        return false;
    if (from->bag < 1 || from->home_bag < 1)
        return wrong (why, "bags.bag: bags count from 1");
    if (from->movable > from->waiting)
        return wrong (why, "bags.movable: %u of %u that wait", from->movable, from->waiting);
    if (!load_valid (from->running_load_s) || !load_valid (from->task_load_s) ||
        from->task_load_s <= 0)
        return wrong (why, "bags.task_load_s: %g, and %g run, should be more than 0, to %g",
                      from->task_load_s, from->running_load_s, LOAD_S_MOST);
    return time_valid (from->submitted_ms) || wrong (why, "bags.submitted_ms: no time");
}

static bool bags_take (told_t *told, const Musubi__StateAnswer *from, char why [WHY_BYTES])
{
    size_t wanted = told->count + from->n_bags;
    if (wanted > told->room) {
        told->room = wanted;
        told->bags = must (reallocarray (told->bags, told->room, sizeof *told->bags));
    }
    for (size_t i = 0; i < from->n_bags; i++)
        if (!queued_take (&told->bags [told->count + i], from->bags [i], why))
            return false;
    told->count = wanted;
    return told_load (told) <= LOAD_S_MOST ||
           wrong (why, "bags: a load of more than %g CPU seconds", LOAD_S_MOST);
}

bool state_decode (told_t *told, bool *more, bytes_t body, char why [WHY_BYTES])
{
    Musubi__StateAnswer *from =
      (Musubi__StateAnswer *) message_unpack (&musubi__state_answer__descriptor, body);
    if (!from)
        return wrong (why, "not a StateAnswer");
    bool good = bags_take (told, from, why);
    if (good && !(isfinite (from->cpus) && from->cpus >= 0 && from->cpus <= BILB_SPEED_MAX))
        good = wrong (why, "cpus: %g should be 0 to %g", from->cpus, BILB_SPEED_MAX);
    if (good && !(isfinite (from->done_s) && from->done_s >= 0))
        good = wrong (why, "done_s: %g should be 0 or more", from->done_s);
    told->cpus = from->cpus;
    told->done_s = from->done_s;
    told->start = from->start;
    *more = from->more && from->n_bags > 0;
    message_free (&from->base);
    return good;
}

packed_t move_encode (const order_t *order)
{
    Musubi__Party to = MUSUBI__PARTY__INIT;
    Musubi__MoveRequest request = MUSUBI__MOVE_REQUEST__INIT;
    party_put (&to, &order->to);
    request.round = order->round;
    request.number = order->number;
    request.to = &to;
    request.bag = order->bag;
    request.count = order->count;
    return packed_of (&request.base);
}

bool moved_decode (uint32_t *moved, bytes_t body, char why [WHY_BYTES])
{
    Musubi__MoveAnswer *from =
      (Musubi__MoveAnswer *) message_unpack (&musubi__move_answer__descriptor, body);
    if (!from)
        return wrong (why, "not a MoveAnswer");
    *moved = from->moved;
    message_free (&from->base);
    return true;
}

/*  --- it is asked --- */

bool balance_status_decode (bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *from = message_unpack (&musubi__balance_status_request__descriptor, body);
    if (!from)
        return wrong (why, "not a BalanceStatusRequest");
    message_free (from);
    return true;
}

/*  Of a site's at others, and of others' at it, as it told last. */
static void count_moved (const member_t *member, uint32_t *away, uint32_t *guests)
{
    *away = 0;
    *guests = 0;
    for (size_t i = 0; i < member->told.count; i++) {
        const queued_t *bag = &member->told.bags [i];
        *away += bag->away;
        *guests += strcmp (bag->home, member->kept.site) != 0 ? bag->running + bag->waiting : 0;
    }
}

static void member_put (Musubi__CoalitionMember *to, const member_t *member)
{
    const member_kept_t *kept = &member->kept;
    to->site = (char *) kept->site;
    to->automatic = kept->automatic;
    to->level_s = kept->level_s;
    to->cpus = member->told.cpus;
    to->load_s = told_load (&member->told);
    to->drain_s = to->cpus > 0 ? to->load_s / to->cpus : 0;
    count_moved (member, &to->away, &to->guests);
    to->given_s = kept->given_s;
    to->taken_s = kept->taken_s;
    to->score = kept->coalitions > 0 ? (double) kept->coalitions / kept->ratios : 0;
    to->aside = (char *) kept->aside;
}

static size_t guarantees_put (Musubi__Guarantee **list, const coalition_t *coalition)
{
    size_t count = 0;
    for (job_t *job = coalition_job_after (coalition, NULL); job;
         job = coalition_job_after (coalition, job)) {
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

packed_t balance_status_encode (const status_told_t *told)
{
    const coalition_t *coalition = told->coalition;
    size_t jobs = ordered_count (coalition->jobs) - coalition->jobs_over;
    Musubi__BalanceStatusAnswer answer = MUSUBI__BALANCE_STATUS_ANSWER__INIT;
    Musubi__CoalitionMember **members_list =
      messages_new (&musubi__coalition_member__descriptor, coalition->members_count);
    Musubi__Guarantee **guarantees_list = messages_new (&musubi__guarantee__descriptor, jobs);
    for (size_t i = 0; i < coalition->members_count; i++)
        member_put (members_list [i], coalition->members [i]);
    answer.name = (char *) told->name;
    answer.coalition = coalition->kept.number;
    answer.step = coalition->kept.step;
    answer.formed_ms = coalition->kept.formed_ms;
    answer.next_step_ms = told->next_step_ms;
    answer.n_members = coalition->members_count;
    answer.members = members_list;
    answer.n_guarantees = guarantees_put (guarantees_list, coalition);
    answer.guarantees = guarantees_list;
    packed_t packed = fitting (&answer);
    free (guarantees_list);
    free (members_list);
    return packed;
}

bool balance_history_decode (uint64_t *from, bytes_t body, char why [WHY_BYTES])
{
    Musubi__BalanceHistoryRequest *asked = (Musubi__BalanceHistoryRequest *) message_unpack (
      &musubi__balance_history_request__descriptor, body);
    if (!asked)
        return wrong (why, "not a BalanceHistoryRequest");
    *from = asked->from;
    message_free (&asked->base);
    return true;
}

packed_t balance_history_encode (const bytes_t *records, size_t count, bool more)
{
    Musubi__BalanceHistoryAnswer answer = MUSUBI__BALANCE_HISTORY_ANSWER__INIT;
    Musubi__CoalitionRecord **list = must (calloc (count + 1, sizeof *list));
    for (size_t i = 0; i < count; i++)
        list [answer.n_coalitions++] =
          must (message_unpack (&musubi__coalition_record__descriptor, records [i]));
    answer.coalitions = list;
    answer.more = more;
    packed_t packed = packed_of (&answer.base);
    for (size_t i = 0; i < count; i++)
        message_free (&list [i]->base);
    free (list);
    return packed;
}
