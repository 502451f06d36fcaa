/*  bilb - the turns of one step, and its transfers written out. */
#include "bilb.h"

#include "bilb_receivers.h"
#include "must.h"

#include <assert.h>
#include <math.h>

/*  A cluster at its place in the order. */
typedef struct {
    double time;
    uint32_t cluster;
    double speed;
    double level;
    double load;
} bilb_order_t;

/*  Its turn: the first sends nothing. */
typedef struct {
    uint32_t sender;
    double rise;   /* time that each receiver is sent, if nothing stops it */
    double target; /* no receiver's time rises above it */
} bilb_turn_t;

struct bilb {
    size_t count;
    size_t room;
    bilb_order_t *places;
    uint32_t *order;
    bilb_turn_t *turns;
    double *loads;
    bilb_receivers_t *receivers;

    size_t walked; /* turns that have been written out */
    double *times; /* by place, after these turns; after the step at first */
    bilb_transfer_t *transfers;
};

bilb_check_t bilb_check (const bilb_cluster_t *cluster)
{
    if (!(cluster->speed >= BILB_SPEED_MIN && cluster->speed <= BILB_SPEED_MAX))
        return BILB_BAD_SPEED;
    if (!(cluster->level >= 0))
        return BILB_BAD_LEVEL;
    return cluster->load >= 0 && cluster->load <= BILB_LOAD_MAX ? BILB_GOOD : BILB_BAD_LOAD;
}

const char *bilb_check_words (bilb_check_t check)
{
    static const char *const words [] = {
      [BILB_GOOD] = "is good",
      [BILB_BAD_SPEED] = "must be a number from 1e-9 to 1e9",
      [BILB_BAD_LEVEL] = "must be a number from 0 on, or \"inf\"",
      [BILB_BAD_LOAD] = "must be a number from 0 to 1e15 in all",
    };
    return words [check];
}

/*  --- one step --- */

static int bilb_by_time (const void *a, const void *b)
{
    const bilb_order_t *left = a;
    const bilb_order_t *right = b;
    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    return left->cluster < right->cluster ? -1 : left->cluster > right->cluster;
}

/*  How much would be sent if nobody refused any (eqs 2 and 4). */
static double wanted (const bilb_order_t *place, double target)
{
    double load = fmin (place->load - place->speed * target, place->level * place->speed);
    return load > BILB_GRAIN * place->load ? load : 0;
}

/*  loads, speeds: the sums over the clusters before it, which transfers among them do not
 *  change. */
static void take_turn (bilb_t *self, size_t at, double loads, double speeds)
{
    const bilb_order_t *place = &self->places [at];
    bilb_turn_t *turn = &self->turns [at];
    double before = at > 0 ? self->turns [at - 1].target : 0;
    double mean = (loads + place->load) / (speeds + place->speed);
    *turn =
      (bilb_turn_t){.sender = place->cluster, .target = fmin (place->time, fmax (before, mean))};
    double time = place->time;
    double load = at > 0 ? wanted (place, turn->target) : 0;
    if (load > 0) {
        turn->rise = load / speeds;
        double sent = bilb_receivers_raise (self->receivers, turn->rise, turn->target);
        assert (sent <= load * (1 + 1e-9));
        time = fmax (turn->target, time - sent / place->speed);
    }
    bilb_receivers_add (self->receivers, time, place->speed, place->level);
}

static void check_kept (const bilb_t *self, double before)
{
    double after = 0;
    for (size_t i = 0; i < self->count; i++) {
        const bilb_order_t *place = &self->places [i];
        assert (self->times [i] <= fmax (place->level, place->time));
        after += self->loads [place->cluster];
    }
    assert (fabs (after - before) <= 1e-9 * before);
}

static void bilb_make_room (bilb_t *self, size_t count)
{
    self->count = count;
    if (count <= self->room)
        return;
    self->room = count;
    self->places = must (reallocarray (self->places, count, sizeof *self->places));
    self->order = must (reallocarray (self->order, count, sizeof *self->order));
    self->turns = must (reallocarray (self->turns, count, sizeof *self->turns));
    self->loads = must (reallocarray (self->loads, count, sizeof *self->loads));
    self->times = must (reallocarray (self->times, count, sizeof *self->times));
    self->transfers = must (reallocarray (self->transfers, count, sizeof *self->transfers));
}

void bilb_step (bilb_t *self, const bilb_cluster_t *clusters, size_t count)
{
    assert (count > 0 && count <= BILB_CLUSTERS_MAX);
    bilb_make_room (self, count);
    for (size_t i = 0; i < count; i++) {
        assert (bilb_check (&clusters [i]) == BILB_GOOD);
        self->places [i] =
          (bilb_order_t){clusters [i].load / clusters [i].speed, (uint32_t) i, clusters [i].speed,
                         clusters [i].level, clusters [i].load};
    }
    qsort (self->places, count, sizeof *self->places, bilb_by_time);
    bilb_receivers_clear (self->receivers, count);
    double loads = 0;
    double speeds = 0;
    for (size_t i = 0; i < count; i++) {
        self->order [i] = self->places [i].cluster;
        take_turn (self, i, loads, speeds);
        loads += self->places [i].load;
        speeds += self->places [i].speed;
    }
    bilb_receivers_times (self->receivers, self->times);
    for (size_t i = 0; i < count; i++)
        self->loads [self->order [i]] = self->times [i] == self->places [i].time
                                          ? self->places [i].load
                                          : self->times [i] * self->places [i].speed;
    check_kept (self, loads);
    self->walked = count;
}

const uint32_t *bilb_order (const bilb_t *self)
{
    return self->order;
}

const double *bilb_loads (const bilb_t *self)
{
    return self->loads;
}

/*  --- transfers one by one --- */

void bilb_walk (bilb_t *self)
{
    self->walked = 0;
}

/*  Eq 3 in time, with the target as a third bound: without it a promise could break. */
static double rise_of (const bilb_order_t *receiver, double time, const bilb_turn_t *turn)
{
    return fmax (0, fmin (turn->rise, fmin (receiver->level, turn->target) - time));
}

bool bilb_walk_turn (bilb_t *self, const bilb_transfer_t **transfers, size_t *count)
{
    for (*count = 0; *count == 0 && self->walked < self->count; self->walked++) {
        size_t at = self->walked;
        const bilb_order_t *sender = &self->places [at];
        const bilb_turn_t *turn = &self->turns [at];
        double sent = 0;
        for (size_t i = 0; i < at && turn->rise > 0; i++) {
            double rise = rise_of (&self->places [i], self->times [i], turn);
            double load = rise * self->places [i].speed;
            if (rise <= BILB_GRAIN * turn->target)
                continue;
            self->times [i] += rise;
            sent += load;
            self->transfers [(*count)++] =
              (bilb_transfer_t){turn->sender, self->places [i].cluster, load};
        }
        self->times [at] =
          *count == 0 ? sender->time : fmax (turn->target, sender->time - sent / sender->speed);
    }
    *transfers = self->transfers;
    return *count > 0;
}

/*  --- the object --- */

bilb_t *bilb_new (void)
{
    bilb_t *self = must (calloc (1, sizeof *self));
    self->receivers = bilb_receivers_new ();
    return self;
}

void bilb_destroy (bilb_t **self_p)
{
    bilb_t *self = *self_p;
    if (!self)
        return;
    free (self->places);
    free (self->order);
    free (self->turns);
    free (self->loads);
    free (self->times);
    free (self->transfers);
    bilb_receivers_destroy (&self->receivers);
    free (self);
    *self_p = NULL;
}
