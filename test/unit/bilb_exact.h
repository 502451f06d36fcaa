/*  bilb_exact - the paper's step and its extension in fractions, without rounding or grouping. For
 *  few clusters and small whole numbers; a fraction that outgrows 128 bits is reported.
 */
#ifndef MUSUBI_BILB_EXACT_H
#define MUSUBI_BILB_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXACT_CLUSTERS 5
#define EXACT_JOBS     12
#define EXACT_PIECES   400

typedef __int128 whole_t;

typedef struct {
    whole_t over;
    whole_t under; /* above 0 */
} fraction_t;

static bool exact_outgrown;

static whole_t times (whole_t a, whole_t b)
{
    whole_t product = 0;
    exact_outgrown |= __builtin_mul_overflow (a, b, &product);
    return product;
}

static fraction_t fraction (whole_t over, whole_t under)
{
    whole_t a = over < 0 ? -over : over;
    whole_t b = under;
    while (b != 0) {
        whole_t rest = a % b;
        a = b;
        b = rest;
    }
    return a == 0 ? (fraction_t){0, 1} : (fraction_t){over / a, under / a};
}

static fraction_t whole (int64_t number)
{
    return (fraction_t){number, 1};
}

static fraction_t plus (fraction_t a, fraction_t b)
{
    fraction_t by = fraction (a.under, b.under); /* keeps common denominators small */
    return fraction (times (a.over, by.under) + times (b.over, by.over), times (a.under, by.under));
}

static fraction_t minus (fraction_t a, fraction_t b)
{
    return plus (a, (fraction_t){-b.over, b.under});
}

static fraction_t product (fraction_t a, fraction_t b)
{
    fraction_t left = fraction (a.over, b.under);
    fraction_t right = fraction (b.over, a.under);
    return fraction (times (left.over, right.over), times (left.under, right.under));
}

static fraction_t quotient (fraction_t a, fraction_t b)
{
    return product (a,
                    b.over < 0 ? (fraction_t){-b.under, -b.over} : (fraction_t){b.under, b.over});
}

static bool is_less (fraction_t a, fraction_t b)
{
    return minus (a, b).over < 0;
}

static fraction_t least (fraction_t a, fraction_t b)
{
    return is_less (b, a) ? b : a;
}

static double real_of (fraction_t a)
{
    return (double) ((long double) a.over / (long double) a.under);
}

/*  --- clusters and their queues --- */

typedef struct {
    int job;
    fraction_t load;
} exact_piece_t;

typedef struct {
    fraction_t speed;
    fraction_t level;
    bool bounded;
    exact_piece_t pieces [EXACT_PIECES];
    size_t count;
} exact_cluster_t;

typedef struct {
    exact_cluster_t clusters [EXACT_CLUSTERS];
    size_t count;
    size_t owners [EXACT_JOBS];
    size_t jobs_count;
    bool tie; /* two jobs could come next, and the paper does not say which */
} exact_t;

typedef struct {
    int job;
    fraction_t start;
    fraction_t end;
} exact_slot_t;

static fraction_t exact_load (const exact_cluster_t *cluster)
{
    fraction_t load = whole (0);
    for (size_t i = 0; i < cluster->count; i++)
        load = plus (load, cluster->pieces [i].load);
    return load;
}

static fraction_t exact_time (const exact_cluster_t *cluster)
{
    return quotient (exact_load (cluster), cluster->speed);
}

static void exact_add (exact_cluster_t *cluster, int job, fraction_t load)
{
    if (load.over == 0)
        return;
    exact_outgrown |= cluster->count == EXACT_PIECES;
    if (!exact_outgrown)
        cluster->pieces [cluster->count++] = (exact_piece_t){job, load};
}

static fraction_t exact_job_load (const exact_t *self, int job, size_t cluster)
{
    fraction_t load = whole (0);
    const exact_cluster_t *of = &self->clusters [cluster];
    for (size_t i = 0; i < of->count; i++)
        if (of->pieces [i].job == job)
            load = plus (load, of->pieces [i].load);
    return load;
}

static fraction_t exact_job_loads (const exact_t *self, int job)
{
    fraction_t load = whole (0);
    for (size_t i = 0; i < self->count; i++)
        load = plus (load, exact_job_load (self, job, i));
    return load;
}

static fraction_t exact_completion (const exact_t *self, int job)
{
    fraction_t completion = whole (0);
    for (size_t i = 0; i < self->count; i++) {
        const exact_cluster_t *cluster = &self->clusters [i];
        fraction_t done = whole (0);
        for (size_t p = 0; p < cluster->count; p++) {
            done = plus (done, cluster->pieces [p].load);
            fraction_t at = quotient (done, cluster->speed);
            if (cluster->pieces [p].job == job && is_less (completion, at))
                completion = at;
        }
    }
    return completion;
}

/*  --- the step --- */

static void exact_send (exact_t *self, size_t from, const size_t *to, const fraction_t *shares,
                        size_t count)
{
    exact_cluster_t *sender = &self->clusters [from];
    fraction_t sent = whole (0);
    for (size_t i = 0; i < count; i++)
        sent = plus (sent, shares [i]);
    fraction_t left = minus (exact_load (sender), sent);
    size_t kept = 0;
    for (size_t p = 0; p < sender->count; p++) {
        exact_piece_t piece = sender->pieces [p];
        fraction_t stays = least (piece.load, left);
        fraction_t goes = minus (piece.load, stays);
        left = minus (left, stays);
        for (size_t i = 0; i < count && goes.over > 0; i++)
            exact_add (&self->clusters [to [i]], piece.job,
                       quotient (product (goes, shares [i]), sent));
        if (stays.over > 0)
            sender->pieces [kept++] = (exact_piece_t){piece.job, stays};
    }
    sender->count = kept;
}

/*  What a receiver takes of `most`: eq 3 with times, and not above the mean. */
static fraction_t exact_share (const exact_cluster_t *to, fraction_t most, fraction_t speeds,
                               fraction_t mean)
{
    fraction_t load = exact_load (to);
    fraction_t share = quotient (product (most, to->speed), speeds);
    if (to->bounded)
        share = least (share, minus (product (to->level, to->speed), load));
    share = least (share, minus (product (to->speed, mean), load));
    return is_less (share, whole (0)) ? whole (0) : share;
}

static void exact_turn (exact_t *self, const size_t *order, size_t at)
{
    const exact_cluster_t *sender = &self->clusters [order [at]];
    fraction_t speeds = whole (0);
    fraction_t loads = exact_load (sender);
    for (size_t i = 0; i < at; i++) {
        speeds = plus (speeds, self->clusters [order [i]].speed);
        loads = plus (loads, exact_load (&self->clusters [order [i]]));
    }
    fraction_t mean = quotient (loads, plus (speeds, sender->speed));
    fraction_t most = minus (exact_load (sender), product (sender->speed, mean));
    if (sender->bounded)
        most = least (most, product (sender->level, sender->speed));
    if (most.over <= 0)
        return;
    fraction_t shares [EXACT_CLUSTERS];
    fraction_t sum = whole (0);
    for (size_t i = 0; i < at; i++) {
        shares [i] = exact_share (&self->clusters [order [i]], most, speeds, mean);
        sum = plus (sum, shares [i]);
    }
    if (sum.over > 0)
        exact_send (self, order [at], order, shares, at);
}

static void exact_step (exact_t *self)
{
    size_t order [EXACT_CLUSTERS];
    for (size_t i = 0; i < self->count; i++) {
        size_t at = i;
        for (; at > 0 && is_less (exact_time (&self->clusters [i]),
                                  exact_time (&self->clusters [order [at - 1]]));
             at--)
            order [at] = order [at - 1];
        order [at] = i;
    }
    for (size_t at = 1; at < self->count; at++)
        exact_turn (self, order, at);
}

/*  --- the extension --- */

/*  Of the jobs promised for `time` or later: -1 when there is none. */
static int exact_next (exact_t *self, const fraction_t *promises, const fraction_t *loads,
                       fraction_t time)
{
    int next = -1;
    for (int job = 0; job < (int) self->jobs_count; job++) {
        if (loads [job].over == 0 || is_less (promises [job], time))
            continue;
        fraction_t off = whole (-1);
        if (next >= 0) {
            off = minus (self->clusters [self->owners [job]].speed,
                         self->clusters [self->owners [next]].speed);
            if (off.over == 0)
                off = minus (loads [next], loads [job]);
            self->tie |= off.over == 0;
        }
        if (off.over < 0)
            next = job;
    }
    return next;
}

/*  How far back from `time` a load goes: eq 12's G, inverted queue end by queue end. */
static fraction_t exact_back (const fraction_t *ends, const exact_t *self, fraction_t time,
                              fraction_t load)
{
    while (load.over > 0) {
        fraction_t speed = whole (0);
        fraction_t next = whole (0);
        for (size_t i = 0; i < self->count; i++)
            if (!is_less (ends [i], time))
                speed = plus (speed, self->clusters [i].speed);
            else if (is_less (next, ends [i]))
                next = ends [i];
        fraction_t fits = product (minus (time, next), speed);
        if (is_less (load, fits))
            return minus (time, quotient (load, speed));
        load = minus (load, fits);
        time = next;
    }
    return time;
}

/*  Returns how many slots; fewer than jobs with load if a promise could not be kept. */
static size_t exact_reschedule (exact_t *self, exact_slot_t slots [EXACT_JOBS])
{
    fraction_t ends [EXACT_CLUSTERS] = {0};
    fraction_t promises [EXACT_JOBS] = {0};
    fraction_t loads [EXACT_JOBS] = {0};
    fraction_t time = whole (0);
    for (size_t i = 0; i < self->count; i++) {
        ends [i] = exact_time (&self->clusters [i]);
        if (is_less (time, ends [i]))
            time = ends [i];
    }
    for (int job = 0; job < (int) self->jobs_count; job++) {
        promises [job] = exact_completion (self, job);
        loads [job] = exact_job_loads (self, job);
    }
    size_t count = 0;
    for (int job; (job = exact_next (self, promises, loads, time)) >= 0;) {
        fraction_t start = exact_back (ends, self, time, loads [job]);
        slots [count++] = (exact_slot_t){job, start, time};
        loads [job] = whole (0);
        time = start;
    }
    for (size_t i = 0; i < self->count; i++) {
        self->clusters [i].count = 0;
        for (size_t s = count; s-- > 0;) {
            fraction_t part =
              minus (least (slots [s].end, ends [i]), least (slots [s].start, ends [i]));
            exact_add (&self->clusters [i], slots [s].job,
                       product (part, self->clusters [i].speed));
        }
    }
    return count;
}

#endif
