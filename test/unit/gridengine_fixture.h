/*  gridengine_fixture - a small model of Grid Engine behind batch_run, and a reservation over it.
 */
#ifndef MUSUBI_GRIDENGINE_FIXTURE_H
#define MUSUBI_GRIDENGINE_FIXTURE_H

#include "gridengine.h"
#include "gridengine_read.h"

#include "must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define ID     "0123456789ab-1-1"
#define OURS   "musubi-ams-" ID
#define SECOND "musubi-ams-0123456789ab-1-2"
#define NORTH  "musubi-ams-north-0123456789ab-1-1" /* of another site */
#define MOST   16

typedef struct {
    char name [96]; /* "batch@g1"; "" = none */
    char state [8];
    const char *calendar; /* NULL = none */
} model_instance_t;

typedef struct {
    char id [8];
    char state [8];
    char instance [96];
    char queue [96];
    int64_t limit_s; /* 0 = none */
} model_job_t;

/*  Of ours: always of all slots of the hosts of its site's queue. */
typedef struct {
    int id; /* 0 = none */
    char name [96];
    char from [20], until [20]; /* as qrsub takes them */
    char instances [256];
} model_advance_t;

/*  Two queues of the site's cell are there always; a third one is OURS. */
static struct {
    model_instance_t instances [MOST];
    model_job_t jobs [MOST];
    const char *advances; /* as qrstat tells them; NULL = those of ours */
    model_advance_t ours_kept [MOST];
    int advances_made;
    const char *environments; /* of each queue; NULL = "smp make" */
    const char *limit;        /* of the site's queue, as h_rt; NULL = none */
    const char *complexes;
    const char *hosts;  /* of qhost */
    const char *week;   /* of every calendar; NULL = there is none */
    char *ours;         /* the configuration of OURS; NULL = it is not there */
    name_list_t listed; /* in its access list */
    char said [16384];  /* all commands since the last step */
    int64_t now_ms;
    clear_t clear; /* of the order */
} model;

static const batch_setup_t setup = {
  .site = "ams", .queue = "batch", .limit_ms = 1000, .early_ms = 1000};

/*  --- the model --- */

int __wrap_clock_gettime (clockid_t clock, struct timespec *time);
int __wrap_nanosleep (const struct timespec *asked, struct timespec *left);
command_told_t __wrap_batch_run (const batch_setup_t *by, const char *const *arguments,
                                 char **output, char why [WHY_BYTES]);

int __wrap_clock_gettime (clockid_t clock, struct timespec *time)
{
    (void) clock;
    *time = (struct timespec){model.now_ms / 1000, model.now_ms % 1000 * 1000000};
    return 0;
}

int __wrap_nanosleep (const struct timespec *asked, struct timespec *left)
{
    (void) left;
    model.now_ms += asked->tv_nsec / 1000000;
    return 0;
}

static inline model_instance_t *instance (const char *name)
{
    for (size_t i = 0; i < MOST; i++)
        if (strcmp (model.instances [i].name, name) == 0)
            return &model.instances [i];
    return NULL;
}

static inline void instance_new (const char *queue, const char *host, const char *state)
{
    model_instance_t *one = instance ("");
    assert_non_null (one);
    snprintf (one->name, sizeof one->name, "%s@%s", queue, host);
    snprintf (one->state, sizeof one->state, "%s", state);
}

static inline bool state_is (const char *name, const char *state)
{
    const model_instance_t *one = instance (name);
    return one && strcmp (one->state, state) == 0;
}

static inline void queue_delete (void)
{
    for (size_t i = 0; i < MOST; i++)
        if (grid_of_queue (model.instances [i].name, OURS))
            model.instances [i] = (model_instance_t){.name = ""};
    free (model.ours);
    model.ours = NULL;
}

/*  Hosts that are new in it have instances in its initial state. */
static inline void queue_take (const char *path)
{
    char text [4096] = "", name [128];
    FILE *file = fopen (path, "r");
    assert_non_null (file);
    assert_true (fread (text, 1, sizeof text - 1, file) > 0);
    fclose (file);
    name_list_auto_t hosts = {0};
    text_auto_t *list = grid_value (text, "hostlist"), *state = grid_value (text, "initial_state");
    name_list_add (&hosts, list, "");
    for (size_t i = 0; i < MOST; i++)
        if (grid_of_queue (model.instances [i].name, OURS) &&
            !name_list_has (&hosts, strchr (model.instances [i].name, '@') + 1))
            model.instances [i] = (model_instance_t){.name = ""};
    for (size_t i = 0; i < hosts.count; i++) {
        snprintf (name, sizeof name, OURS "@%s", hosts.words [i]);
        if (!instance (name))
            instance_new (OURS, hosts.words [i], strcmp (state, "disabled") == 0 ? "d" : "");
    }
    free (model.ours);
    model.ours = must (strdup (text));
}

static inline void listed_change (bool add, const char *words)
{
    name_list_auto_t before = model.listed;
    name_list_auto_t other = {0};
    model.listed = (name_list_t){0};
    name_list_add (&other, words, "");
    for (size_t i = 0; i < before.count; i++)
        if (!name_list_has (&other, before.words [i]))
            name_list_add (&model.listed, before.words [i], "");
    for (size_t i = 0; add && i < other.count; i++)
        name_list_add (&model.listed, other.words [i], "");
}

static inline void switch_all (const char *words, bool disable)
{
    name_list_auto_t names = {0};
    name_list_add (&names, words, "");
    for (size_t i = 0; i < names.count; i++) {
        model_instance_t *one = instance (names.words [i]);
        bool unheard = one && strchr (one->state, 'u');
        if (one)
            snprintf (one->state, sizeof one->state, "%s%s", disable ? "d" : "",
                      unheard ? "u" : "");
    }
}

/*  A deleted job is gone at once, but for one on a host that is not heard. */
static inline void job_delete (const char *id, bool force)
{
    for (size_t i = 0; i < MOST; i++) {
        model_job_t *job = &model.jobs [i];
        const model_instance_t *on = *job->id ? instance (job->instance) : NULL;
        if (strcmp (job->id, id) != 0)
            continue;
        if (!force && on && strchr (on->state, 'u'))
            snprintf (job->state, sizeof job->state, "dr");
        else
            *job = (model_job_t){.id = ""};
    }
}

static inline char *instances_text (void)
{
    char *text = must (strdup ("<job_info><queue_info>"));
    for (size_t i = 0; i < MOST; i++) {
        const model_instance_t *one = &model.instances [i];
        text_auto_t *before = text;
        int used = 0;
        for (size_t k = 0; k < MOST; k++)
            used += *one->name && strcmp (model.jobs [k].instance, one->name) == 0;
        if (*one->name)
            text = must_print ("%s<Queue-List><name>%s</name><slots_used>%d</slots_used>"
                               "<slots_total>2</slots_total><state>%s</state>"
                               "<resource name='calendar' type='qf'>%s</resource></Queue-List>",
                               before, one->name, used, one->state,
                               one->calendar ? one->calendar : "NONE");
        else
            text = must (strdup (before));
    }
    text_auto_t *all = text;
    return must_print ("%s</queue_info></job_info>", all);
}

static inline char *jobs_text (void)
{
    char *text = must (strdup ("<job_info><queue_info>"));
    for (size_t i = 0; i < MOST; i++) {
        const model_job_t *one = &model.jobs [i];
        text_auto_t *before = text;
        if (*one->id)
            text = must_print (
              "%s<job_list><JB_job_number>%s</JB_job_number><state>%s</state>"
              "<queue_name>%s</queue_name><hard_req_queue>%s</hard_req_queue>"
              "<JB_owner>bob</JB_owner><JAT_start_time>1970-01-01T00:16:40"
              "</JAT_start_time><slots>1</slots><hard_request name=\"gpu\">1</hard_request>"
              "<hard_request name='h_rt'>%lld</hard_request></job_list>",
              before, one->id, one->state, one->instance, one->queue, (long long) one->limit_s);
        else
            text = must (strdup (before));
    }
    text_auto_t *all = text;
    return must_print ("%s</queue_info></job_info>", all);
}

/*  "20261130030500" to "2026-11-30T03:05:00". */
static inline char *advances_text (void)
{
    char *text = must (strdup ("<qrstat>"));
    for (size_t i = 0; i < MOST; i++) {
        const model_advance_t *one = &model.ours_kept [i];
        text_auto_t *before = text;
        const char *f = one->from, *u = one->until;
        if (one->id == 0) {
            text = must (strdup (before));
            continue;
        }
        text = must_print ("%s<ar_summary><id>%d</id><name>%s</name><owner>root</owner>"
                           "<start_time>%.4s-%.2s-%.2sT%.2s:%.2s:%.2s</start_time>"
                           "<end_time>%.4s-%.2s-%.2sT%.2s:%.2s:%.2s</end_time>"
                           "<granted_slots_list>",
                           before, one->id, one->name, f, f + 4, f + 6, f + 8, f + 10, f + 13, u,
                           u + 4, u + 6, u + 8, u + 10, u + 13);
        name_list_auto_t instances = {0};
        name_list_add (&instances, one->instances, "");
        for (size_t k = 0; k < instances.count; k++) {
            text_auto_t *so_far = text;
            text = must_print ("%s<granted_slots queue_instance='%s' slots='2'/>", so_far,
                               instances.words [k]);
        }
        text_auto_t *open = text;
        text = must_print ("%s</granted_slots_list></ar_summary>", open);
    }
    text_auto_t *all = text;
    return must_print ("%s</qrstat>", all);
}

/*  Is one host in both? */
static inline bool instances_meet (const char *one, const char *other)
{
    name_list_auto_t left = {0}, right = {0};
    bool meet = false;
    name_list_add (&left, one, "");
    name_list_add (&right, other, "");
    for (size_t i = 0; i < left.count; i++)
        meet = meet || name_list_has (&right, left.words [i]);
    return meet;
}

/*  qrsub -N NAME -a FROM -e UNTIL -u USER -q INSTANCES -pe ENVIRONMENT SLOTS; jobs without a limit
 *  are in the way, and what is reserved over that time. */
static inline bool advance_make (const char *const *words)
{
    const char *from = words [4], *until = words [6], *instances = words [10];
    model_advance_t *place = NULL;
    assert_string_equal (words [8], "alice");
    assert_string_equal (words [12], "make");
    for (size_t i = 0; i < MOST; i++) {
        model_advance_t *one = &model.ours_kept [i];
        if (one->id == 0)
            place = one;
        else if (instances_meet (one->instances, instances) && strcmp (one->from, until) < 0 &&
                 strcmp (from, one->until) < 0)
            return false;
        if (*model.jobs [i].id && instances_meet (model.jobs [i].instance, instances))
            return false;
    }
    assert_non_null (place);
    place->id = ++model.advances_made;
    snprintf (place->name, sizeof place->name, "%s", words [2]);
    snprintf (place->from, sizeof place->from, "%s", from);
    snprintf (place->until, sizeof place->until, "%s", until);
    snprintf (place->instances, sizeof place->instances, "%s", instances);
    return true;
}

/*  By its name or its id. */
static inline bool advances_delete (const char *which)
{
    name_list_auto_t words = {0};
    bool found = false;
    char id [16];
    name_list_add (&words, which, "");
    for (size_t i = 0; i < MOST; i++) {
        model_advance_t *one = &model.ours_kept [i];
        snprintf (id, sizeof id, "%d", one->id);
        if (one->id == 0 || !(name_list_has (&words, one->name) || name_list_has (&words, id)))
            continue;
        *one = (model_advance_t){.id = 0};
        found = true;
    }
    return found;
}

/*  What it writes, to be freed; NULL: refused. */
static inline char *answer (const char *program, const char *verb, const char *what,
                            const char *name)
{
    bool qconf = strcmp (program, "qconf") == 0, ours = strcmp (what, OURS) == 0;
    if (qconf && strcmp (verb, "-sq") == 0 && ours)
        return model.ours ? strdup (model.ours) : NULL;
    if (qconf && strcmp (verb, "-sq") == 0)
        return must_print ("qname %s\nhostlist %s\ninitial_state default\nuser_lists NONE\n"
                           "pe_list %s\nh_rt %s\n",
                           what, strcmp (what, "batch") == 0 ? "g1 g2" : "g9",
                           model.environments ? model.environments : "smp make",
                           model.limit ? model.limit : "INFINITY");
    if (qconf && strcmp (verb, "-sp") == 0)
        return must_print ("pe_name %s\nallocation_rule %s\n", what,
                           strcmp (what, "make") == 0 ? "$round_robin" : "$pe_slots");
    if (qconf && (strcmp (verb, "-Aq") == 0 || strcmp (verb, "-Mq") == 0))
        queue_take (what);
    else if (qconf && strcmp (verb, "-dq") == 0)
        queue_delete ();
    else if (qconf && strcmp (verb, "-su") == 0) {
        text_auto_t *entries = name_list_text (&model.listed, ',');
        return ours && model.listed.count > 0 ? must_print ("name %s\nentries %s\n", what, entries)
                                              : NULL;
    } else if (qconf && strcmp (name, OURS) == 0)
        listed_change (strcmp (verb, "-au") == 0, what);
    else if (qconf && strcmp (verb, "-dul") == 0)
        name_list_clear (&model.listed);
    else if (qconf && strcmp (verb, "-scal") == 0)
        return model.week ? must_print ("calendar_name %s\nyear NONE\nweek %s\n", what, model.week)
                          : NULL;
    else if (qconf && strcmp (verb, "-sul") == 0)
        return must_print ("arusers\n" SECOND "\n" NORTH "\n%s",
                           model.listed.count > 0 ? OURS "\n" : "");
    else if (strcmp (program, "qmod") == 0 && strcmp (verb, "-rj") == 0)
        job_delete (what, true); /* what may not be run again is gone, as in 8.1.9 */
    else if (strcmp (program, "qstat") == 0 && strcmp (verb, "-j") == 0)
        return must_print ("job_number: %s\nrestart:                    %s\n", what,
                           strcmp (what, "7") == 0 ? "y" : "n");
    else if (strcmp (program, "qmod") == 0)
        switch_all (what, strcmp (verb, "-d") == 0);
    else if (strcmp (program, "qdel") == 0)
        job_delete (*what ? what : verb, *what);
    else if (strcmp (program, "qstat") == 0)
        return strcmp (verb, "-u") == 0 ? jobs_text () : instances_text ();
    else if (qconf && strcmp (verb, "-sc") == 0)
        return must (strdup (model.complexes ? model.complexes : ""));
    else if (strcmp (program, "qhost") == 0 && strcmp (verb, "-F") == 0)
        return model.hosts ? must (strdup (model.hosts)) : NULL;
    else if (strcmp (program, "qrstat") == 0)
        return model.advances ? must_print ("<qrstat>%s</qrstat>", model.advances)
                              : advances_text ();
    else if (strcmp (program, "qrdel") == 0)
        return advances_delete (verb) ? strdup ("") : NULL;
    return strdup ("");
}

command_told_t __wrap_batch_run (const batch_setup_t *by, const char *const *arguments,
                                 char **output, char why [WHY_BYTES])
{
    (void) by;
    const char *words [4] = {"", "", "", ""};
    for (size_t i = 0; arguments [i]; i++) {
        size_t used = strlen (model.said);
        snprintf (model.said + used, sizeof model.said - used, "%s%s", arguments [i],
                  arguments [i + 1] ? " " : "\n");
        if (i < 4)
            words [i] = arguments [i];
    }
    char *text = strcmp (words [0], "qrsub") != 0
                   ? answer (words [0], words [1], words [2], words [3])
                 : advance_make (arguments) ? strdup ("")
                                            : NULL;
    command_told_t told = text ? COMMAND_DONE : COMMAND_REFUSED;
    if (!text)
        wrong (why, "it does not exist");
    if (output)
        *output = text ? text : must (strdup (""));
    else
        free (text);
    return told;
}

command_told_t __wrap_batch_run_lines (const batch_setup_t *by, const char *const *arguments,
                                       batch_line_fn *visit, void *owner, char why [WHY_BYTES])
{
    char *output = NULL;
    command_told_t told = __wrap_batch_run (by, arguments, &output, why);
    for (char *line, *text = output; told == COMMAND_DONE && (line = command_line (&text));)
        visit (owner, line);
    free (output);
    return told;
}

/*  --- a reservation --- */

static const char *both [] = {"g1", "g2"};

static inline void world_begin (void)
{
    memset (&model, 0, sizeof model);
    model.now_ms = 1000000;
    model.clear = CLEAR_END;
    for (size_t i = 0; i < 2; i++)
        instance_new ("batch", both [i], "");
    instance_new ("spare", "g1", "d"); /* by an operator */
    instance_new ("spare", "g2", "");
    instance_new (NORTH, "g1", "");
    instance_new (SECOND, "g9", "");
}

static inline void world_end (void)
{
    queue_delete ();
    name_list_clear (&model.listed);
}

static inline back_end_order_t order_of (const char **nodes, size_t count)
{
    return (back_end_order_t){.reservation = OURS,
                              .owner = "alice",
                              .account = "alice",
                              .nodes = nodes,
                              .nodes_count = count,
                              .from_ms = model.now_ms - 1,
                              .until_ms = model.now_ms + 3600000,
                              .grace_ms = 2000,
                              .clear = model.clear};
}

/*  Why it has failed; "" when it has not. */
static inline const char *keep (back_end_step_t step, const char **nodes, size_t count)
{
    static char why [WHY_BYTES];
    back_end_order_t order = order_of (nodes, count);
    *why = '\0';
    *model.said = '\0';
    return gridengine.keep (&setup, step, &order, why) ? "" : why;
}

static inline const char *closes (void)
{
    static char why [WHY_BYTES];
    back_end_order_t order = {.reservation = OURS, .account = "", .grace_ms = 2000};
    *why = '\0';
    *model.said = '\0';
    return gridengine.close (&setup, &order, why) ? "" : why;
}

static inline void world_open (void)
{
    world_begin ();
    assert_string_equal (keep (BACK_END_OPEN, both, 2), "");
    assert_true (state_is (OURS "@g1", ""));
    assert_true (state_is ("batch@g1", "d"));
}

static inline void all_is_as_before (void)
{
    assert_null (model.ours);
    assert_int_equal (model.listed.count, 0);
    assert_true (state_is ("batch@g1", ""));
    assert_true (state_is ("batch@g2", ""));
    assert_true (state_is ("spare@g1", "d"));
    assert_true (state_is ("spare@g2", ""));
    assert_true (state_is (NORTH "@g1", ""));
    assert_true (state_is (SECOND "@g9", ""));
}

static inline void world_close (void)
{
    assert_string_equal (closes (), "");
    all_is_as_before ();
    world_end ();
}

#endif
