/*  runner - makes its parts in the order in which they start: participant, nodes, openings, the
 *  count of nodes, the queue.
 */
#include "runner.h"

#include "must.h"
#include "openings_wire.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  --- which accounts may charge what they name: one question at a time --- */

#define CHARGES_WORK    (UINT64_C (1) << 63) /* the back end counts its works from 1 */
#define UNKNOWN         ": " BACK_END_UNKNOWN
#define CHARGES_WATCHES 10 /* from an answer to the next question */

/*  The first actor of the next section that charges something; count behind the last. */
static size_t charges_section (const charges_t *self, size_t at)
{
    const account_t *all = self->accounts;
    while (at < self->count && ((!*all [at].charged && !*all [at].qos) ||
                                (at > 0 && strcmp (all [at].section, all [at - 1].section) == 0)))
        at++;
    return at;
}

packed_t charges_question (const charges_t *self)
{
    back_end_order_t *orders = must (calloc (self->count + 1, sizeof *orders));
    size_t count = 0;
    for (size_t i = charges_section (self, 0); i < self->count; i = charges_section (self, i + 1)) {
        const account_t *at = &self->accounts [i];
        orders [count++] = (back_end_order_t){.reservation = at->section,
                                              .owner = "",
                                              .account = at->account,
                                              .charged = at->charged,
                                              .qos = at->qos};
    }
    packed_t question =
      codec_encode (&back_end_task_codec,
                    &(back_end_task_t){.step = BACK_END_CHARGES, .orders = orders, .count = count});
    free (orders);
    return question;
}

static void charges_ask (void *owner, const moment_t *now, uint64_t token)
{
    (void) now, (void) token;
    charges_t *self = owner;
    packed_t question = charges_question (self);
    self->timer = 0;
    outbox_work (self->service->outbox, CHARGES_WORK, back_end_batch.works [BACK_END_CHARGES],
                 packed_bytes (question));
    free (question.data);
}

/*  The line of a section; "" = there is none. */
static void charges_line (const char *told, const char *section, char said [WHY_BYTES])
{
    size_t size = strlen (section);
    *said = '\0';
    for (const char *line = told; *line; line += strcspn (line, "\n"), line += *line == '\n')
        if (strncmp (line, section, size) == 0 && line [size] == ':')
            snprintf (said, WHY_BYTES, "%.*s", (int) strcspn (line, "\n"), line);
}

/*  told: NULL = nothing. */
static void charges_take (charges_t *self, const moment_t *now, const char *told)
{
    int64_t watches = !told || strstr (told, UNKNOWN "\n") ? 1 : CHARGES_WATCHES;
    self->timer = timers_set (self->service->timers, now->mono_ms + watches * self->watch_ms,
                              charges_ask, self, 0);
    for (size_t i = charges_section (self, 0); told && i < self->count;
         i = charges_section (self, i + 1)) {
        const char *section = self->accounts [i].section;
        char said [WHY_BYTES];
        charges_line (told, section, said);
        if ((*said && strcmp (said + strlen (section), UNKNOWN) == 0) ||
            strcmp (self->accounts [i].unfit, said) == 0)
            continue;
        service_warn (self->service, section, said, INT64_MAX);
        if (!*said)
            outbox_log (self->service->outbox, LEVEL_INFO, "%s is fit again", section);
        for (size_t k = i; k < self->count && strcmp (self->accounts [k].section, section) == 0;
             k++)
            strcpy (self->accounts [k].unfit, said);
        openings_accounts_moved (self->openings, now);
    }
}

static bool charges_on_work (void *owner, const moment_t *now, const event_t *event)
{
    charges_t *self = owner;
    if (event->work.work != CHARGES_WORK)
        return false;
    const bytes_t result = event->work.result;
    char *told = must (strndup (result.size > 0 ? (const char *) result.data : "", result.size));
    charges_take (self, now, event->work.ok ? told : NULL);
    free (told);
    return true;
}

static void charges_on_start (void *owner, const moment_t *now)
{
    charges_t *self = owner;
    if (self->told)
        charges_take (self, now, self->told);
    else
        charges_ask (self, now, 0);
}

/*  Registers its start and its work. self is filled in by the caller, and lives as long as the
 *  service. */
static void charges_begin (charges_t *self)
{
    if (charges_section (self, 0) == self->count)
        return;
    service_on_work (self->service, charges_on_work, self);
    service_at_start (self->service, charges_on_start, self);
}

static void charges_end (charges_t *self)
{
    timers_cancel (self->service->timers, self->timer);
    free (self->told);
}

/*  --- what others have booked ---
 *
 *  Nodes are sorted into groups that are in the same bookings, and each group is booked at its
 *  times: what recurs each hour on a thousand nodes is booked once.
 */

static_assert (BATCH_FOREVER_MS < CALENDAR_HORIZON_MS, "calendars end later");

/*  The first groups are the classes, with what is in no booking. */
typedef struct {
    size_t class;
    size_t parent;  /* it is in the bookings of that, too */
    size_t booking; /* NODES_NONE: a class */
    size_t part;    /* of it, that is in the booking which was looked at last; 0 = none */
    int64_t nodes;
} booked_group_t;

typedef struct {
    booked_group_t *list;
    size_t count;
    size_t room;
    size_t *of; /* each node: its group */
} booked_groups_t;

static void group_split (booked_groups_t *self, size_t node, size_t booking)
{
    size_t whole = self->of [node], part = self->list [whole].part;
    if (self->list [whole].booking == booking)
        return; /* it stands there twice */
    if (part == 0 || self->list [part].booking != booking) {
        self->list = must_grow (self->list, self->count, &self->room, sizeof *self->list);
        part = self->list [whole].part = self->count++;
        self->list [part] =
          (booked_group_t){.class = self->list [whole].class, .parent = whole, .booking = booking};
    }
    self->list [whole].nodes--;
    self->list [part].nodes++;
    self->of [node] = part;
}

static booked_groups_t booked_groups (const nodes_t *nodes, const batch_picture_t *picture,
                                      bool jobs)
{
    booked_groups_t self = {.list = must (calloc (SITE_CLASSES_MAX, sizeof *self.list)),
                            .count = SITE_CLASSES_MAX,
                            .room = SITE_CLASSES_MAX,
                            .of = must (calloc (nodes_count (nodes) + 1, sizeof *self.of))};
    for (size_t i = 0; i < SITE_CLASSES_MAX; i++)
        self.list [i] = (booked_group_t){.class = i, .booking = NODES_NONE};
    for (size_t i = 0; i < nodes_count (nodes); i++)
        self.of [i] = nodes_at (nodes, i).class;
    for (size_t i = 0; picture && i < picture->bookings_count; i++)
        for (size_t k = 0; k < picture->bookings [i].nodes_count; k++) {
            size_t node;
            if ((jobs || !picture->bookings [i].jobs) &&
                nodes_find (nodes, picture->bookings [i].nodes [k], &node) &&
                node != nodes_batch (nodes) && nodes_at (nodes, node).state != AGENT_LOST &&
                !nodes_at (nodes, node).drained)
                group_split (&self, node, i);
        }
    return self;
}

/*  All the times of a group, which may overlap. */
static interval_list_t times_of (const booked_groups_t *groups, const booked_group_t *group,
                                 const batch_picture_t *picture)
{
    interval_list_t times = {0};
    size_t room = 0, time;
    for (; group->booking != NODES_NONE; group = &groups->list [group->parent]) {
        resource_interval_t one = {.resource = group->class, .quantity = 1};
        const batch_booking_t *booking = &picture->bookings [group->booking];
        for (time = 0; batch_booking_next (booking, &time, &one.over.from, &one.over.until);) {
            if (one.over.until > BATCH_FOREVER_MS)
                one.over.until = BATCH_FOREVER_MS;
            times.list = must_grow (times.list, times.count, &room, sizeof one);
            times.list [times.count] = one;
            times.count += one.over.from < one.over.until;
        }
    }
    return times;
}

static interval_list_t bookings_of (const nodes_t *nodes, const batch_picture_t *picture, bool jobs)
{
    interval_list_t all = {0};
    size_t room = 0;
    booked_groups_t groups = booked_groups (nodes, picture, jobs);
    for (size_t i = SITE_CLASSES_MAX; i < groups.count; i++) {
        if (groups.list [i].nodes == 0)
            continue;
        interval_list_t times = times_of (&groups, &groups.list [i], picture);
        interval_changes_t apart = interval_list_changes (&(interval_list_t){0}, &times);
        for (size_t k = 0; k < apart.count; k++) {
            all.list = must_grow (all.list, all.count, &room, sizeof *all.list);
            all.list [all.count++] = (resource_interval_t){.resource = groups.list [i].class,
                                                           .over = apart.list [k].over,
                                                           .quantity = groups.list [i].nodes};
        }
        interval_changes_clear (&apart);
        interval_list_clear (&times);
    }
    free (groups.list);
    free (groups.of);
    return all;
}

static void jobs_follow (batch_bookings_t *self, const nodes_t *nodes,
                         const interval_list_t *others)
{
    interval_list_t all = bookings_of (nodes, nodes_picture (nodes), true);
    interval_changes_t changes = interval_list_changes (others, &all);
    interval_list_clear (&self->jobs);
    self->jobs = interval_changes_extra (&changes);
    interval_changes_clear (&changes);
    interval_list_clear (&all);
}

static void booked_end (batch_bookings_t *self)
{
    if (self->booked.list)
        free_capacity_release (self->room, &self->booked);
    interval_list_clear (&self->booked);
}

/*  Makes the calendars say what the nodes' batch system has told last. True when they have changed.
 */
static bool batch_bookings_follow (batch_bookings_t *self, const nodes_t *nodes)
{
    interval_list_t wanted = bookings_of (nodes, nodes_picture (nodes), !self->apart);
    if (self->apart)
        jobs_follow (self, nodes, &wanted);
    interval_changes_t changes = interval_list_changes (&self->booked, &wanted);
    bool changed = false;
    for (size_t i = 0; i < changes.count; i++)
        changed = changed || changes.list [i].before != changes.list [i].after;
    interval_changes_clear (&changes);
    if (!changed) {
        interval_list_clear (&wanted);
        return false;
    }
    booked_end (self);
    self->booked = wanted;
    free_capacity_book (self->room, &self->booked);
    return true;
}

static void batch_bookings_end (batch_bookings_t *self)
{
    booked_end (self);
    interval_list_clear (&self->jobs);
}

#define TELL_MS  1000 /* how long after a loss reservations that are hit are looked for */
#define TOLD_MAX 16

/*  --- what its parts ask of it --- */

/*  Tells who has a node, and who has too few, to an administrator who drains one. */
static const char *runner_reservation_of (void *owner, size_t node)
{
    const runner_t *self = owner;
    return openings_of_node (self->openings, node);
}

static size_t runner_overbooked (void *owner, const moment_t *now, const char **names, size_t most)
{
    const provider_t *provider = ((const runner_t *) owner)->provider;
    size_t count = timetable_overbooked (provider->timetable,
                                         free_capacity_now_ms (provider->room, now), names, most);
    return count < most ? count : most;
}

/*  Of the queue, and of others in the batch system. */
static interval_list_t work_here (void *owner)
{
    const runner_t *self = owner;
    if (nodes_batch (self->nodes) == NODES_NONE)
        return queue_booked (self->queue);
    interval_changes_t changes =
      interval_list_changes (&(interval_list_t){0}, &self->bookings.booked);
    interval_list_t others = interval_changes_after (&changes);
    interval_changes_clear (&changes);
    return others;
}

/*  What is configured for the actor, else for "*". */
static const account_t *account_here (void *owner, const char *actor)
{
    const runner_t *self = owner;
    const account_t *anybodys = NULL;
    for (size_t i = 0; i < self->accounts_count; i++) {
        const account_t *at = &self->accounts [i];
        if (strcmp (at->actor, actor) == 0)
            return at;
        if (!anybodys && strcmp (at->actor, "*") == 0)
            anybodys = at;
    }
    return *actor ? anybodys : NULL;
}

static clear_t clear_here (void *owner, const char *actor)
{
    const runner_t *self = owner;
    return name_list_has (&self->end_for, actor) ? CLEAR_END : self->clear;
}

static bool runner_ends_jobs (void *owner, const char *actor)
{
    return clear_here (owner, actor) == CLEAR_END;
}

/*  --- how many nodes of each class are there to be promised --- */

static void on_tell (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    runner_t *self = owner;
    const char *names [TOLD_MAX];
    self->tell_timer = 0;
    calendar_service_overbooked (self->provider->questions, now, names, TOLD_MAX);
}

/*  Who is hit is looked for a little later, as losses come together. */
static void tell_soon (runner_t *self, const moment_t *now)
{
    if (self->tell_timer == 0)
        self->tell_timer =
          timers_set (self->provider->service->timers, now->mono_ms + TELL_MS, on_tell, self, 0);
}

static void count_class (runner_t *self, const moment_t *now, size_t class)
{
    const provider_t *provider = self->provider;
    size_t resource;
    uint32_t there = 0;
    if (!free_capacity_find (provider->room, self->site->classes [class].name, &resource))
        return;
    uint32_t before = free_capacity_offer (provider->room, resource)->quantity;
    for (size_t i = 0; i < nodes_count (self->nodes); i++) {
        site_node_t node = nodes_at (self->nodes, i);
        there += node.class == class && !node.drained && (node.state != AGENT_LOST || self->unseen);
    }
    calendar_service_there (provider->questions, now, resource, there);
    if (free_capacity_offer (provider->room, resource)->quantity < before)
        tell_soon (self, now);
}

static void count_all (runner_t *self, const moment_t *now)
{
    self->unseen = nodes_batch_unseen (self->nodes);
    for (size_t class = 0; class < self->site->classes_count; class ++)
        count_class (self, now, class);
}

static void runner_on_node_moved (void *owner, const moment_t *now, size_t node)
{
    runner_t *self = owner;
    if (node == nodes_batch (self->nodes) && self->unseen != nodes_batch_unseen (self->nodes))
        count_all (self, now);
    if (node != nodes_batch (self->nodes))
        count_class (self, now, nodes_at (self->nodes, node).class);
    else if (batch_bookings_follow (&self->bookings, self->nodes))
        tell_soon (self, now);
}

static void runner_on_start (void *owner, const moment_t *now)
{
    runner_t *self = owner;
    count_all (self, now);
    batch_bookings_follow (&self->bookings, self->nodes);
}

/*  --- its life --- */

runner_t *runner_new (const provider_t *provider, const site_t *site,
                      const runner_settings_t *settings)
{
    runner_t *self = must (calloc (1, sizeof *self));
    self->provider = provider;
    self->site = site;
    self->queue_limits = settings->queue;
    self->sharing_limits = settings->sharing;
    self->accounts =
      must_copy (settings->accounts, settings->accounts_count * sizeof *settings->accounts);
    self->accounts_count = settings->accounts_count;
    self->nodes = nodes_new (provider->service, site, &provider->access, settings->places,
                             settings->places_count, &settings->nodes);
    self->clear = settings->nodes.clear;
    for (size_t i = 0; i < settings->end_for.count; i++)
        name_list_add (&self->end_for, settings->end_for.words [i], "");
    self->bookings = (batch_bookings_t){.room = provider->room, .apart = self->end_for.count > 0};
    free_capacity_apart (provider->room,
                         &(free_capacity_apart_t){&self->bookings.jobs, runner_ends_jobs, self});
    self->back_end = back_end_new (
      provider->service, settings->batch ? &back_end_batch : &back_end_runner, &settings->back_end);
    openings_parts_t parts = {.service = provider->service,
                              .site = site,
                              .room = provider->room,
                              .nodes = self->nodes,
                              .back_end = self->back_end,
                              .access = &provider->access,
                              .account = account_here,
                              .clear = clear_here,
                              .account_owner = self};
    self->openings = openings_new (&parts, &settings->openings);
    self->charges = (charges_t){.service = provider->service,
                                .openings = self->openings,
                                .accounts = self->accounts,
                                .count = settings->batch ? self->accounts_count : 0,
                                .watch_ms = settings->openings.watch_ms};
    nodes_binder (self->nodes, &(nodes_binder_t){.owner = self,
                                                 .reservation = runner_reservation_of,
                                                 .overbooked = runner_overbooked});
    return self;
}

void runner_attach (runner_t *self)
{
    const provider_t *provider = self->provider;
    openings_attach (self->openings, provider->participant);
    nodes_observe (self->nodes,
                   &(nodes_observer_t){.owner = self, .node_moved = runner_on_node_moved});
    service_at_start (provider->service, runner_on_start, self);
    charges_begin (&self->charges);
    queue_parts_t parts = {.service = provider->service,
                           .site = self->site,
                           .room = provider->room,
                           .timetable = provider->timetable,
                           .participant = provider->participant,
                           .nodes = self->nodes,
                           .openings = self->openings,
                           .access = &provider->access,
                           .account = account_here,
                           .account_owner = self};
    self->queue = queue_new (&parts, &self->queue_limits);
    self->sharing = sharing_new (self->queue, &self->sharing_limits);
    calendar_service_work (provider->questions, work_here, self);
}

void runner_destroy (runner_t **self_p)
{
    runner_t *self = *self_p;
    if (!self)
        return;
    sharing_destroy (&self->sharing);
    queue_destroy (&self->queue);
    timers_cancel (self->provider->service->timers, self->tell_timer);
    charges_end (&self->charges);
    openings_destroy (&self->openings);
    batch_bookings_end (&self->bookings);
    back_end_destroy (&self->back_end);
    nodes_destroy (&self->nodes);
    free (self->accounts);
    name_list_clear (&self->end_for);
    free (self);
    *self_p = NULL;
}
