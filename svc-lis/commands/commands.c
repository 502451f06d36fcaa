/*  commands - each function of the table is one program, or a few. */
#include "commands.h"

#include "clock.h"
#include "must.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CLEAR_MS 5000 /* that one step waits for jobs to end; then it is tried again */
#define AGAIN_MS 200

/*  --- a program --- */

/*  Who else may write it could have us run anything. */
static bool file_sound (const char *path, mode_t type, const char *what, char why [WHY_BYTES])
{
    struct stat file;
    if (lstat (path, &file) != 0)
        return wrong (why, "%.160s: %s", path, strerror (errno));
    bool own = file.st_uid == 0 || file.st_uid == geteuid ();
    return (own && (file.st_mode & (S_IFMT | 0122)) == (type | 0100)) ||
           wrong (why, "%.120s should be a %s of this account or root that nobody else may write",
                  path, what);
}

static bool commands_program_find (const batch_setup_t *setup, const char *program,
                                   char path [PATH_MAX], char why [WHY_BYTES])
{
    snprintf (path, PATH_MAX, "%s/%s", setup->programs, program);
    return (*setup->programs == '/' || wrong (why, "programs: should be an absolute path")) &&
           file_sound (setup->programs, S_IFDIR, "folder", why) &&
           file_sound (path, S_IFREG, "program", why);
}

/*  What one is asked beside its words: what it reads, and whose rights it has; NULL = ours. */
typedef struct {
    const char *input;
    const char *account;
} commands_asked_t;

static command_told_t ask (const batch_setup_t *setup, commands_asked_t asked,
                           const char *const *words, commands_rows_t *rows, char why [WHY_BYTES])
{
    char path [PATH_MAX];
    packed_t output = {0};
    const char *arguments [COMMAND_ARGUMENTS_MAX] = {path, setup->queue};
    for (size_t i = 1; words [i]; i++)
        arguments [i + 1] = words [i];
    commands_rows_clear (rows);
    if (!commands_program_find (setup, *words, path, why))
        return COMMAND_SILENT;
    command_told_t told =
      asked.account
        ? command_run_as (asked.account, arguments, asked.input, setup->limit_ms, &output, why)
        : command_run (arguments, asked.input, setup->limit_ms, (char **) &output.data, why);
    rows->text = (char *) output.data;
    if (told != COMMAND_DONE) /* its exit code says nothing of what it was asked for */
        return COMMAND_SILENT;
    commands_answer_t answer = strcmp (*words, "list") == 0    ? COMMANDS_LIST
                               : strcmp (*words, "state") == 0 ? COMMANDS_STATE
                                                               : COMMANDS_DEED;
    return commands_read (*words, answer, rows, why);
}

#define ASK(setup, rows, why, ...)                                                                 \
    ask (setup, (commands_asked_t){0}, (const char *const []){__VA_ARGS__, NULL}, rows, why)

static bool list (const batch_setup_t *setup, commands_rows_t *rows, char why [WHY_BYTES])
{
    return ASK (setup, rows, why, "list") == COMMAND_DONE;
}

static batch_fitness_t commands_check (const batch_setup_t *setup, bool reserves, char *why)
{
    static const char *const all [] = {"list",   "reserve", "move", "remove",
                                       "submit", "state",   "end"};
    char path [PATH_MAX];
    commands_rows_auto_t rows = {0};
    (void) reserves; /* it is the programs' own care that they may */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!commands_program_find (setup, all [i], path, why))
            return BATCH_UNFIT;
    return batch_fitness (ASK (setup, &rows, why, "list"));
}

/*  --- the picture --- */

static void node_take (batch_picture_t *picture, const commands_row_t *row)
{
    batch_node_t *node = batch_picture_node (picture, row->key);
    node->up = row->state == COMMANDS_UP || row->state == COMMANDS_DRAINED;
    node->drained = row->state == COMMANDS_DRAINED;
    node->silent = row->state == COMMANDS_SILENT;
    node->cpus = (uint32_t) row->cpus;
    node->cpus_busy = (uint32_t) row->cpus_busy;
    snprintf (node->why, sizeof node->why, "%s", row->why);
}

static void booking_take (batch_picture_t *picture, const commands_row_t *row)
{
    batch_booking_t *booking =
      batch_picture_booking (picture, row->key, row->from_ms, row->until_ms);
    for (size_t i = 0; i < row->nodes.count; i++)
        batch_booking_node (booking, row->nodes.words [i]);
}

/*  Which may be run again they do not tell. */
static void other_take (const batch_setup_t *setup, batch_picture_t *picture,
                        const commands_row_t *row)
{
    for (size_t i = 0; !batch_name_ours (setup, row->whose) && i < row->nodes.count; i++) {
        batch_node_t *node = batch_picture_find (picture, row->nodes.words [i]);
        if (node)
            batch_node_job (node, row->from_ms, row->until_ms, true);
    }
}

static bool commands_look (const batch_setup_t *setup, batch_picture_t *picture, char *why)
{
    commands_rows_auto_t rows = {0};
    if (!list (setup, &rows, why))
        return false;
    snprintf (picture->system, sizeof picture->system, "commands");
    picture->partial = true;
    for (size_t i = 0; i < rows.count; i++)
        if (rows.rows [i].kind == COMMANDS_NODE)
            node_take (picture, &rows.rows [i]);
    batch_picture_sort (picture);
    for (size_t i = 0; i < rows.count; i++) {
        const commands_row_t *row = &rows.rows [i];
        if (row->kind == COMMANDS_JOB)
            other_take (setup, picture, row);
        else if (row->kind == COMMANDS_NODE || batch_name_ours (setup, row->key))
            continue;
        else if (picture->bookings_count < BATCH_BOOKINGS_MAX)
            booking_take (picture, row);
        else
            wrong (picture->trouble, "list: more than %d of others' reservations",
                   BATCH_BOOKINGS_MAX);
    }
    return true;
}

/*  --- jobs --- */

/*  Of two jobs of one name that which lives counts. One that is not told may well run. */
static bool run_take (const batch_jobs_t *asked, const commands_rows_t *rows, size_t at, char *why)
{
    bool told = false;
    batch_job_seen_t *seen = &asked->seen [at];
    for (size_t i = 0; i < rows->count; i++) {
        const commands_row_t *row = &rows->rows [i];
        const char *name = batch_name_ours (asked->setup, row->key);
        if (!name || strcmp (name, asked->names [at]) != 0)
            continue;
        told = true;
        if (row->state == BATCH_JOB_UNKNOWN || batch_job_lives (seen->state))
            continue;
        seen->state = (batch_job_state_t) row->state;
        snprintf (seen->id, sizeof seen->id, "%s", row->job);
        snprintf (seen->why, sizeof seen->why, "%s", row->why);
    }
    return told || wrong (why, "state: it does not tell run %.100s, nor that it is gone",
                          asked->names [at]);
}

static bool commands_jobs (const batch_jobs_t *asked, char *why)
{
    commands_rows_auto_t rows = {0};
    name_list_auto_t names = {0};
    char name [BATCH_NAME_BYTES_MAX + 1];
    bool good = true;
    for (size_t i = 0; good && i < asked->count; i++) {
        good = batch_name (asked->setup, asked->names [i], name, why);
        name_list_add (&names, name, "");
    }
    text_auto_t *lines = name_list_text (&names, '\n');
    text_auto_t *input = must_print ("%s\n", lines);
    good = good && ask (asked->setup, (commands_asked_t){.input = input},
                        (const char *const []){"state", NULL}, &rows, why) == COMMAND_DONE;
    for (size_t i = 0; good && i < asked->count; i++)
        good = run_take (asked, &rows, i, why);
    return good;
}

static command_told_t commands_submit (const batch_setup_t *setup, const batch_job_t *job,
                                       char *why)
{
    commands_rows_auto_t rows = {0};
    text_auto_t *cpus = must_print ("%u", job->cpus);
    text_auto_t *limit = must_print ("%lld", (long long) (job->limit_ms + 999) / 1000);
    const char *const words [] = {"submit",
                                  job->name,
                                  cpus,
                                  limit,
                                  *job->reservation ? job->reservation : "-",
                                  job->output,
                                  *job->errors ? job->errors : job->output,
                                  NULL};
    return ask (setup, (commands_asked_t){job->script, job->account}, words, &rows, why);
}

static bool commands_signal (const batch_setup_t *setup, const char *id, batch_signal_t signal,
                             char *why)
{
    static const char *const words [] = {[BATCH_WARN] = "warn",
                                         [BATCH_END] = "end",
                                         [BATCH_KILL] = "kill",
                                         [BATCH_SUSPEND] = "suspend",
                                         [BATCH_RESUME] = "resume"};
    commands_rows_auto_t rows = {0};
    return ASK (setup, &rows, why, "end", id, words [signal]) == COMMAND_DONE;
}

/*  --- a reservation --- */

/*  As it is found, beside what it should be. */
typedef struct {
    const batch_setup_t *setup;
    const back_end_order_t *order;
    commands_rows_t rows;
    const commands_row_t *there; /* of the rows; NULL = it is not there */
} commands_pair_t;

static bool commands_pair_look (commands_pair_t *self, char *why)
{
    self->there = NULL;
    if (!list (self->setup, &self->rows, why))
        return false;
    for (size_t i = 0; i < self->rows.count; i++)
        if (self->rows.rows [i].kind == COMMANDS_RESERVATION &&
            strcmp (self->rows.rows [i].key, self->order->reservation) == 0)
            self->there = &self->rows.rows [i];
    return true;
}

static int64_t whole_s (int64_t ms)
{
    return (ms + 999) / 1000;
}

/*  How many of a row's nodes are the order's. */
static size_t nodes_shared (const commands_row_t *row, const back_end_order_t *order)
{
    size_t count = 0;
    for (size_t i = 0; i < order->nodes_count; i++)
        count += name_list_has (&row->nodes, order->nodes [i]);
    return count;
}

/*  A start that has gone by is as right as any other that has. */
static bool commands_pair_right (const commands_pair_t *self, char *why)
{
    const back_end_order_t *order = self->order;
    const commands_row_t *there = self->there;
    int64_t now_ms = clock_ms (CLOCK_REALTIME), from_ms = 1000 * whole_s (order->from_ms);
    const char *what = NULL;
    if (!there)
        what = "is not there";
    else if (nodes_shared (there, order) != order->nodes_count ||
             there->nodes.count != order->nodes_count)
        what = "has other nodes than the site's";
    else if (strcmp (there->whose, order->account) != 0)
        what = "has another account than its owner's";
    else if (there->until_ms != 1000 * whole_s (order->until_ms) ||
             (there->from_ms != from_ms && (there->from_ms > now_ms || from_ms > now_ms)))
        what = "has other times than the site's";
    return !what || wrong (why, "reservation %.100s %s", order->reservation, what);
}

/*  One that runs: others on its order's nodes, or those in it on nodes that are not its order's.
 *  All of them are told how to end (NULL: nothing). NULL when none runs. */
static const char *jobs_tell (const commands_pair_t *self, bool others, const char *how)
{
    char why [WHY_BYTES];
    const char *one = NULL;
    for (size_t i = 0; i < self->rows.count; i++) {
        const commands_row_t *row = &self->rows.rows [i];
        commands_rows_auto_t rows = {0};
        size_t shared = nodes_shared (row, self->order);
        if (row->kind != COMMANDS_JOB ||
            (strcmp (row->whose, self->order->reservation) == 0) == others ||
            (others ? shared == 0 : shared == row->nodes.count))
            continue;
        one = row->key;
        if (how) /* whether it ends is seen */
            ASK (self->setup, &rows, why, "end", one, how);
    }
    return one;
}

/*  Until none of them runs. Those in it get their grace; others make way as far as the order has
 *  it. */
static bool jobs_end (commands_pair_t *self, bool others, char *why)
{
    int64_t grace_ms = self->order->grace_ms < CLEAR_MS ? self->order->grace_ms : CLEAR_MS;
    int64_t kill_ms = clock_ms (CLOCK_MONOTONIC) + grace_ms;
    static const char *const clears [] = {
      [CLEAR_REQUEUE] = "requeue", [CLEAR_END] = "clear", [CLEAR_WAIT] = NULL};
    const char *how = others ? clears [self->order->clear] : "end", *one;
    bool waits = !how;
    while (commands_pair_look (self, why)) {
        int64_t now_ms = clock_ms (CLOCK_MONOTONIC);
        if (!(one = jobs_tell (self, others, how)))
            return true;
        if (waits || now_ms >= kill_ms + CLEAR_MS)
            return wrong (why, "job %s %s still runs there", one, others ? "of others" : "in it");
        how = !others && now_ms >= kill_ms ? "kill" : NULL;
        nanosleep (&(struct timespec){.tv_nsec = AGAIN_MS * 1000000}, NULL);
    }
    return false;
}

static bool commands_pair_make (const commands_pair_t *self, char *why)
{
    const back_end_order_t *order = self->order;
    commands_rows_auto_t rows = {0};
    name_list_auto_t names = {0};
    for (size_t i = 0; i < order->nodes_count; i++)
        name_list_add (&names, order->nodes [i], "");
    text_auto_t *nodes = name_list_text (&names, ',');
    text_auto_t *from = must_print ("%lld", (long long) whole_s (order->from_ms));
    text_auto_t *until = must_print ("%lld", (long long) whole_s (order->until_ms));
    return ASK (self->setup, &rows, why, self->there ? "move" : "reserve", order->reservation,
                order->account, from, until, nodes) == COMMAND_DONE;
}

/*  Nodes that leave it are emptied before, and after, as a job of it may have begun meanwhile. */
static bool commands_pair_mend (commands_pair_t *self, char *why)
{
    return jobs_end (self, false, why) && commands_pair_make (self, why) &&
           jobs_end (self, false, why) && commands_pair_right (self, why);
}

static bool commands_keep (const batch_setup_t *setup, back_end_step_t step,
                           const back_end_order_t *order, char *why)
{
    commands_pair_t self = {.setup = setup, .order = order};
    char what [WHY_BYTES];
    int64_t early_ms = step == BACK_END_OPEN        ? INT64_MAX
                       : order->clear == CLEAR_WAIT ? 0
                                                    : setup->early_ms;
    if (order->nodes_count == 0)
        return true; /* all that it had are lost: there is nothing to make until others come */
    bool good = commands_pair_look (&self, why);
    bool right = good && commands_pair_right (&self, what);
    good = good && (right || commands_pair_mend (&self, why));
    if (good && step != BACK_END_PREPARE && order->from_ms - clock_ms (CLOCK_REALTIME) <= early_ms)
        good = jobs_end (&self, true, why);
    if (good && step == BACK_END_WATCH)
        good = right || wrong (why, "%.200s; it was made again", what);
    commands_rows_clear (&self.rows);
    return good;
}

static bool commands_close (const batch_setup_t *setup, const back_end_order_t *order, char *why)
{
    back_end_order_t nowhere = *order; /* so all of its jobs leave */
    commands_pair_t self = {.setup = setup, .order = &nowhere};
    commands_rows_auto_t rows = {0};
    nowhere.nodes_count = 0;
    bool good =
      commands_pair_look (&self, why) &&
      (!self.there ||
       (jobs_end (&self, false, why) &&
        ASK (setup, &rows, why, "remove", order->reservation) == COMMAND_DONE &&
        commands_pair_look (&self, why) &&
        (!self.there || wrong (why, "reservation %.100s is still there", order->reservation))));
    commands_rows_clear (&self.rows);
    return good;
}

static bool commands_list (const batch_setup_t *setup, name_list_t *names, char *why)
{
    commands_rows_auto_t rows = {0};
    bool good = list (setup, &rows, why);
    for (size_t i = 0; good && i < rows.count; i++)
        if (rows.rows [i].kind == COMMANDS_RESERVATION)
            name_list_add (names, rows.rows [i].key, "");
    return good;
}

const batch_system_t commands = {
  .name = "commands",
  .check = commands_check,
  .look = commands_look,
  .jobs = commands_jobs,
  .submit = commands_submit,
  .signal = commands_signal,
  .keep = commands_keep,
  .close = commands_close,
  .list = commands_list,
};
