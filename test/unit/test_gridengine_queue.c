/*  test_gridengine_queue - a reservation's queue over a small model of Grid Engine: what is disabled
 *  for it is given back, whoever has deleted it; nothing of others is; and no job is ended because
 *  its host is not heard.
 */
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

static model_instance_t *instance (const char *name)
{
    for (size_t i = 0; i < MOST; i++)
        if (strcmp (model.instances [i].name, name) == 0)
            return &model.instances [i];
    return NULL;
}

static void instance_new (const char *queue, const char *host, const char *state)
{
    model_instance_t *one = instance ("");
    assert_non_null (one);
    snprintf (one->name, sizeof one->name, "%s@%s", queue, host);
    snprintf (one->state, sizeof one->state, "%s", state);
}

static bool state_is (const char *name, const char *state)
{
    const model_instance_t *one = instance (name);
    return one && strcmp (one->state, state) == 0;
}

static void queue_delete (void)
{
    for (size_t i = 0; i < MOST; i++)
        if (grid_of_queue (model.instances [i].name, OURS))
            model.instances [i] = (model_instance_t){.name = ""};
    free (model.ours);
    model.ours = NULL;
}

/*  Hosts that are new in it have instances in its initial state. */
static void queue_take (const char *path)
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

static void listed_change (bool add, const char *words)
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

static void switch_all (const char *words, bool disable)
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
static void job_delete (const char *id, bool force)
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

static char *instances_text (void)
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

static char *jobs_text (void)
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
static char *advances_text (void)
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
static bool instances_meet (const char *one, const char *other)
{
    name_list_auto_t left = {0}, right = {0};
    bool meet = false;
    name_list_add (&left, one, "");
    name_list_add (&right, other, "");
    for (size_t i = 0; i < left.count; i++)
        meet = meet || name_list_has (&right, left.words [i]);
    return meet;
}

/*  qrsub -N NAME -a FROM -e UNTIL -u USER -q INSTANCES -pe ENVIRONMENT SLOTS; jobs without a limit are in
 *  the way, and what is reserved over that time. */
static bool advance_make (const char *const *words)
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
static bool advances_delete (const char *which)
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
static char *answer (const char *program, const char *verb, const char *what, const char *name)
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

/*  --- its steps --- */

static const char *both [] = {"g1", "g2"};

static void world_begin (void)
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

static void world_end (void)
{
    queue_delete ();
    name_list_clear (&model.listed);
}

static back_end_order_t order_of (const char **nodes, size_t count)
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
static const char *keep (back_end_step_t step, const char **nodes, size_t count)
{
    static char why [WHY_BYTES];
    back_end_order_t order = order_of (nodes, count);
    *why = '\0';
    *model.said = '\0';
    return gridengine.keep (&setup, step, &order, why) ? "" : why;
}

static const char *closes (void)
{
    static char why [WHY_BYTES];
    back_end_order_t order = {.reservation = OURS, .account = "", .grace_ms = 2000};
    *why = '\0';
    *model.said = '\0';
    return gridengine.close (&setup, &order, why) ? "" : why;
}

static void world_open (void)
{
    world_begin ();
    assert_string_equal (keep (BACK_END_OPEN, both, 2), "");
    assert_true (state_is (OURS "@g1", ""));
    assert_true (state_is ("batch@g1", "d"));
}

static void all_is_as_before (void)
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

static void what_was_disabled_is_given_back (void **unused)
{
    (void) unused;
    world_open ();
    assert_true (state_is ("spare@g2", "d"));
    assert_true (state_is (NORTH "@g1", "d"));
    assert_true (state_is (SECOND "@g9", ""));
    assert_string_equal (keep (BACK_END_WATCH, both, 2), "");
    assert_string_equal (closes (), "");
    all_is_as_before ();
    world_end ();
}

/*  What stands between its start and its first job: four questions, the end of its advance reservation,
 *  and the word itself. */
static void little_is_left_to_do_at_its_start (void **unused)
{
    (void) unused;
    world_begin ();
    back_end_order_t order = order_of (both, 2);
    char why [WHY_BYTES];
    order.from_ms = model.now_ms + 500;
    assert_true (gridengine.keep (&setup, BACK_END_PREPARE, &order, why));
    assert_true (state_is (OURS "@g1", "d"));
    assert_true (state_is ("batch@g1", "d"));
    model.now_ms += 500;
    *model.said = '\0';
    assert_true (gridengine.keep (&setup, BACK_END_OPEN, &order, why));
    assert_true (state_is (OURS "@g1", ""));
    size_t before = 0;
    const char *enabled = strstr (model.said, "qmod -e");
    assert_non_null (enabled);
    for (const char *at = model.said; at < enabled; at++)
        before += *at == '\n';
    assert_int_equal (before, 5);
    assert_non_null (strstr (enabled, "qconf -tsm"));
    assert_non_null (strstr (model.ours, "initial_state         default"));
    assert_string_equal (keep (BACK_END_OPEN, both, 2), ""); /* once more, after a crash */
    assert_null (strstr (model.said, "-Mq"));
    assert_string_equal (closes (), "");
    all_is_as_before ();
    world_end ();
}

static void a_queue_that_was_deleted_is_made_again_and_enabled (void **unused)
{
    (void) unused;
    world_open ();
    queue_delete ();
    assert_non_null (strstr (keep (BACK_END_WATCH, both, 2), "was gone"));
    assert_true (state_is (OURS "@g1", ""));
    assert_true (state_is (OURS "@g2", ""));
    assert_string_equal (closes (), "");
    all_is_as_before ();
    world_end ();
}

static void the_hosts_of_a_deleted_queue_are_given_back (void **unused)
{
    (void) unused;
    world_open ();
    queue_delete ();
    keep (BACK_END_WATCH, &both [1], 1); /* the other host looked drained, and was left */
    assert_true (state_is ("batch@g1", ""));
    assert_true (state_is ("spare@g1", "d"));
    assert_true (state_is ("batch@g2", "d"));
    queue_delete ();
    assert_string_equal (closes (), "");
    all_is_as_before ();
    world_end ();
}

static void what_an_operator_has_disabled_of_it_stays_so (void **unused)
{
    (void) unused;
    world_open ();
    switch_all (OURS "@g1", true);
    assert_string_equal (keep (BACK_END_WATCH, both, 2), "");
    assert_true (state_is (OURS "@g1", "d"));
    assert_string_equal (closes (), "");
    assert_true (state_is ("batch@g1", "d"));
    assert_true (state_is ("batch@g2", ""));
    world_end ();
}

static void a_note_of_an_instance_that_is_gone_goes (void **unused)
{
    (void) unused;
    world_open ();
    model_instance_t *one = instance ("spare@g2");
    *one = (model_instance_t){.name = ""};
    assert_string_equal (keep (BACK_END_OPEN, both, 1), "");
    assert_false (name_list_has (&model.listed, "spare@g2"));
    assert_true (state_is ("batch@g2", ""));
    world_end ();
}

/*  As after the qmaster's own start. */
static void no_job_ends_because_its_host_is_not_heard (void **unused)
{
    (void) unused;
    world_open ();
    model.jobs [0] = (model_job_t){"7", "r", OURS "@g1", OURS, 0};
    model.jobs [1] = (model_job_t){"8", "r", OURS "@g2", OURS, 0};
    strcpy (instance (OURS "@g1")->state, "u");
    strcpy (instance ("batch@g1")->state, "du");
    assert_string_equal (keep (BACK_END_WATCH, both, 2), "");
    assert_null (strstr (model.said, "qdel"));
    keep (BACK_END_WATCH, &both [1], 1); /* it is no longer the reservation's: its job is to end */
    const char *told = strstr (model.said, "qdel 7\n"), *taken = strstr (model.said, "qdel -f 7\n");
    assert_true (told && taken && told < taken);
    assert_null (strstr (model.said, "qdel 8"));
    assert_true (model.now_ms >= 1000000 + 2000); /* after its grace */
    assert_string_equal (closes (), "");
    assert_non_null (strstr (model.said, "qdel 8\n"));
    assert_null (strstr (model.said, "qdel -f"));
    world_end ();
}

/*  7 may be run again, 8 may not. */
static const char *open_over_jobs (clear_t clear)
{
    world_begin ();
    model.clear = clear;
    model.jobs [0] = (model_job_t){"7", "r", "batch@g1", "batch", 0};
    model.jobs [1] = (model_job_t){"8", "r", "spare@g2", "spare", 0};
    return keep (BACK_END_OPEN, both, 2);
}

static void world_close (void)
{
    assert_string_equal (closes (), "");
    all_is_as_before ();
    world_end ();
}

static void no_job_of_others_ends (void **unused)
{
    (void) unused;
    assert_string_equal (open_over_jobs (CLEAR_WAIT),
                         "Grid Engine's job 8 of others still runs on its hosts");
    assert_null (strstr (model.said, "qmod -rj"));
    assert_null (strstr (model.said, "qdel"));
    assert_null (strstr (model.said, "qalter"));
    assert_true (state_is (OURS "@g1", "d"));
    world_close ();
}

static void those_that_may_be_run_again_make_way (void **unused)
{
    (void) unused;
    assert_string_equal (open_over_jobs (CLEAR_REQUEUE),
                         "Grid Engine's job 8 of others still runs on its hosts");
    assert_non_null (strstr (model.said, "qmod -rj 7"));
    assert_null (strstr (model.said, "qmod -rj 8"));
    assert_null (strstr (model.said, "qdel"));
    world_close ();
}

static void all_make_way_and_are_told_for_whom (void **unused)
{
    (void) unused;
    assert_string_equal (open_over_jobs (CLEAR_END), "");
    const char *told = strstr (model.said, "qalter -ac musubi=the reservation " OURS " of alice");
    const char *ended = strstr (model.said, "qmod -rj 7");
    assert_true (told && ended && told < ended);
    assert_non_null (strstr (model.said, "qmod -rj 8"));
    assert_true (state_is (OURS "@g1", ""));
    world_close ();
}

static void jobs_have_their_hosts_until_their_limits (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_open ();
    model.jobs [0] = (model_job_t){"7", "r", "spare@g2", "spare", 0}; /* without a limit */
    model.jobs [1] = (model_job_t){"8", "r", OURS "@g1", OURS, 0};
    model.jobs [2] = (model_job_t){"9", "qw", "", "batch", 0};
    assert_true (gridengine.look (&setup, &picture, why));
    assert_true (batch_picture_find (&picture, "g2")->busy_until_ms == BATCH_FOREVER_MS);
    assert_true (batch_picture_find (&picture, "g2")->firm_until_ms == BATCH_FOREVER_MS);
    assert_int_equal (batch_picture_find (&picture, "g1")->busy_until_ms, 0);
    codec_clear (&batch_picture_codec, &picture);
    world_close ();
}

#define COMPLEXES                                                                                  \
    "#name    shortcut  type      relop requestable consumable default  urgency\n"                 \
    "arch     a         RESTRING  ==    YES         NO         NONE     0\n"                       \
    "gpu      gpu       INT       <=    YES         JOB        0        0\n"                       \
    "gpu_type gpu_type  RESTRING  ==    YES         NO         NONE     0\n"                       \
    "haswell  haswell   BOOL      ==    YES         NO         0        0\n"                       \
    "ib       ib        BOOL      ==    YES         NO         0        0\n"

/*  As qhost 8.1.9 writes it. */
#define HOSTS                                                                                      \
    "HOSTNAME                ARCH         NCPU NSOC NCOR NTHR  LOAD  MEMTOT  MEMUSE\n"             \
    "------------------------------------------------------------------------------\n"             \
    "global                  -               -    -    -    -     -       -       -\n"             \
    "    Host Resource(s):      hf:ib=1.000000\n"                                                  \
    "g1                      lx-amd64        2    1    2    2  5.27   23.5G  823.6M\n"             \
    "    Host Resource(s):      hf:haswell=0.000000\n"                                             \
    "g2                      lx-amd64        2    1    2    2  5.27   23.5G  823.6M\n"             \
    "    Host Resource(s):      hc:gpu=1.000000\n"                                                 \
    "   hf:gpu_type=a100\n"                                                                        \
    "   hf:haswell=1.000000\n"                                                                     \
    "   hf:ib=1.000000\n"

/*  Of GPUs it has those that are free and those of its jobs. */
static void a_host_has_features_and_gpus (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_begin ();
    model.complexes = COMPLEXES;
    assert_false (gridengine.look (&setup, &picture, why)); /* qhost says nothing */
    codec_clear (&batch_picture_codec, &picture);
    model.hosts = HOSTS;
    model.jobs [0] = (model_job_t){"7", "r", "batch@g2", "batch", 0};
    assert_true (gridengine.look (&setup, &picture, why));
    assert_non_null (strstr (model.said, "qhost -F gpu,gpu_type,haswell,ib\n"));
    const batch_node_t *g1 = batch_picture_find (&picture, "g1");
    const batch_node_t *g2 = batch_picture_find (&picture, "g2");
    assert_true (picture.features);
    assert_true (!g1->features && !*g1->gpu && g1->gpus == 0);
    assert_string_equal (g2->features, "haswell,ib");
    assert_string_equal (g2->gpu, "a100");
    assert_int_equal (g2->gpus, 2);
    codec_clear (&batch_picture_codec, &picture);
    world_end ();
}

static void only_what_is_exactly_ours_is_listed (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    name_list_auto_t names = {0};
    world_open ();
    assert_true (gridengine.list (&setup, &names, why));
    assert_int_equal (names.count, 1); /* SECOND has no host of the site's queue */
    assert_string_equal (names.words [0], OURS);
    queue_delete ();
    name_list_clear (&names);
    assert_true (gridengine.list (&setup, &names, why));
    assert_int_equal (names.count, 1);
    world_end ();
}

static void a_host_is_silent_drained_or_up (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_open ();
    instance_new ("batch", "g3", "E");
    instance_new ("batch", "g4", "o");
    instance_new ("batch", "g5", "d");
    instance_new (NORTH, "g5", "");
    strcpy (instance ("batch@g2")->state, "du");
    strcpy (instance (OURS "@g2")->state, "u");
    assert_true (gridengine.look (&setup, &picture, why));
    static const struct {
        bool up, silent, drained;
    } right [] = {{.up = true},
                  {.silent = true},
                  {.up = true, .drained = true},
                  {.up = true, .drained = true},
                  {.up = true, .drained = true}}; /* NORTH has not disabled it for us */
    assert_int_equal (picture.nodes_count, sizeof right / sizeof *right);
    for (size_t i = 0; i < picture.nodes_count; i++) {
        assert_int_equal (picture.nodes [i].up, right [i].up);
        assert_int_equal (picture.nodes [i].silent, right [i].silent);
        assert_int_equal (picture.nodes [i].drained, right [i].drained);
    }
    codec_clear (&batch_picture_codec, &picture);
    world_end ();
}

/*  What g1 is, with such a state of the site's instance, and of OURS ("-" = there is none). */
static batch_node_t node_with (const char *site, const char *own, const char *calendar)
{
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_begin ();
    if (*own != '-') {
        world_end ();
        world_open ();
        strcpy (instance (OURS "@g1")->state, own);
    }
    strcpy (instance ("batch@g1")->state, site);
    instance ("batch@g1")->calendar = calendar;
    assert_true (gridengine.look (&setup, &picture, why));
    batch_node_t node = picture.nodes [0];
    assert_string_equal (node.node, "g1");
    codec_clear (&batch_picture_codec, &picture);
    world_end ();
    return node;
}

/*  Whatever the letters are, but for what is not heard, and what we have done. */
static void each_state_of_the_sites_queue_takes_its_host_out (void **unused)
{
    (void) unused;
    static const char *const out [] = {"d", "s", "S", "D", "C", "E", "o", "c", "X", "dsa"};
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
        batch_node_t node = node_with (out [i], "-", NULL);
        assert_true (node.up && node.drained && !node.silent);
        assert_non_null (strstr (node.why, "Grid Engine says "));
        assert_non_null (strstr (node.why, out [i]));
    }
    assert_false (node_with ("", "-", NULL).drained);
    batch_node_t unheard = node_with ("u", "-", NULL);
    assert_true (unheard.silent && !unheard.drained);
    assert_false (node_with ("a", "-", NULL).drained); /* of load, which passes */
    assert_false (node_with ("A", "-", NULL).drained);
}

static void our_own_disabling_hides_nothing_else (void **unused)
{
    (void) unused;
    assert_false (node_with ("d", "", NULL).drained);
    assert_string_equal (node_with ("d", "", NULL).why, "");
    assert_string_equal (node_with ("ds", "", NULL).why,
                         "Grid Engine says ds: disabled, suspended");
    assert_true (node_with ("dE", "", NULL).drained);
    assert_string_equal (node_with ("d", "s", NULL).why, "Grid Engine says s: suspended");
    assert_true (node_with ("d", "S", NULL).drained);
}

/*  A calendar's booking says until when. */
static void what_its_calendar_has_closed_is_booked_and_not_taken_out (void **unused)
{
    (void) unused;
    batch_node_t node = node_with ("D", "-", "night");
    assert_false (node.drained);
    assert_string_equal (node.why, "Grid Engine says D: disabled by its calendar");
    assert_false (node_with ("C", "-", "night").drained);
    assert_true (node_with ("D", "-", NULL).drained);
    assert_true (node_with ("Ds", "-", "night").drained);
    assert_false (node_with ("dD", "", "night").drained);
}

static void a_calendar_is_a_booking_of_its_hosts (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_begin ();
    assert_int_equal (setenv ("TZ", "UTC0", 1), 0);
    tzset ();
    instance_new ("batch", "g3", "");
    instance ("batch@g1")->calendar = instance ("batch@g3")->calendar = "night";
    instance ("spare@g2")->calendar = "day"; /* of another queue */
    model.week = "thu=1-2";                  /* the world begins on a Thursday */
    assert_true (gridengine.look (&setup, &picture, why));
    assert_int_equal (picture.bookings_count, 1);
    const batch_booking_t *booking = &picture.bookings [0];
    assert_string_equal (booking->name, "calendar-night");
    assert_int_equal (booking->nodes_count, 2);
    assert_string_equal (booking->nodes [0], "g1");
    assert_string_equal (booking->nodes [1], "g3");
    assert_int_equal (booking->from_ms, 3600000);
    assert_int_equal (booking->until_ms, 7200000);
    assert_int_equal (booking->again_ms [0], 3600000 + INT64_C (7) * 86400000);
    assert_string_equal (picture.trouble, "");

    model.week = "biweekly(thu)";
    assert_true (gridengine.look (&setup, &picture, why));
    assert_string_equal (picture.trouble,
                         "Grid Engine's calendar night can't be read: week biweekly(thu)");
    assert_int_equal (picture.bookings_count, 1);
    assert_int_equal (picture.bookings [0].from_ms, 0);
    assert_int_equal (picture.bookings [0].until_ms, BATCH_FOREVER_MS);

    model.week = NULL;
    assert_true (gridengine.look (&setup, &picture, why));
    assert_non_null (strstr (picture.trouble, "calendar night can't be read: it does not exist"));
    assert_int_equal (picture.bookings_count, 1);
    assert_int_equal (picture.bookings [0].nodes_count, 2);

    model.week = "NONE";
    assert_true (gridengine.look (&setup, &picture, why));
    assert_int_equal (picture.bookings_count, 0);
    codec_clear (&batch_picture_codec, &picture);
    world_end ();
}

/*  As of a Grid Engine that tells times in another way. */
static void what_has_no_times_is_booked_always_and_told (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_begin ();
    model.advances = "<ar_summary><id>7</id><start_time>1795968240000</start_time>"
                     "<end_time>1795968340000</end_time><granted_slots_list>"
                     "<granted_slots queue_instance='batch@g2' slots='2'/></granted_slots_list>"
                     "</ar_summary>";
    assert_true (gridengine.look (&setup, &picture, why));
    assert_string_equal (picture.trouble, "the times of Grid Engine's ar-7 can't be read");
    assert_int_equal (picture.bookings_count, 1);
    assert_string_equal (picture.bookings [0].nodes [0], "g2");
    assert_int_equal (picture.bookings [0].from_ms, 0);
    assert_int_equal (picture.bookings [0].until_ms, BATCH_FOREVER_MS);
    model.advances = NULL;
    assert_true (gridengine.look (&setup, &picture, why));
    assert_string_equal (picture.trouble, "");
    assert_int_equal (picture.bookings_count, 0);
    codec_clear (&batch_picture_codec, &picture);
    world_end ();
}

static void without_its_queue_a_site_loses_no_host (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_open ();
    *instance ("batch@g1") = (model_instance_t){.name = ""};
    *instance ("batch@g2") = (model_instance_t){.name = ""};
    assert_true (gridengine.look (&setup, &picture, why));
    assert_int_equal (picture.nodes_count, 3); /* and g9 */
    for (size_t i = 0; i < picture.nodes_count; i++) {
        assert_true (picture.nodes [i].up && picture.nodes [i].drained);
        assert_string_equal (picture.nodes [i].why, "Grid Engine has no queue batch with hosts");
    }
    codec_clear (&batch_picture_codec, &picture);
    world_end ();
}

/*  --- named --- */

/*  Of this name, from so many seconds on, for an hour. */
static const char *names (const char *name, int64_t after_s, const char **nodes, size_t count)
{
    static char why [WHY_BYTES];
    back_end_order_t order = order_of (nodes, count);
    order.reservation = name;
    order.from_ms = model.now_ms + after_s * 1000 + 250;
    order.until_ms = order.from_ms + 3600000;
    *why = '\0';
    *model.said = '\0';
    return gridengine.keep (&setup, BACK_END_NAME, &order, why) ? "" : why;
}

static size_t kept (void)
{
    size_t count = 0;
    for (size_t i = 0; i < MOST; i++)
        count += model.ours_kept [i].id > 0;
    return count;
}

static void a_named_one_is_kept_until_its_own_queue_opens (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    name_list_auto_t listed = {0};
    world_begin ();
    assert_string_equal (names (OURS, 3600, both, 2), "");
    assert_non_null (strstr (model.said, "qrsub -N " OURS " -a 197001010116.40 -e 197001010216.41 "
                                         "-u alice -q batch@g1,batch@g2 -pe make 4\n"));
    assert_null (model.ours);
    assert_int_equal (model.listed.count, 0);
    assert_string_equal (names (OURS, 3600, both, 2), ""); /* once more, after a crash */
    assert_null (strstr (model.said, "qrsub"));
    assert_true (gridengine.look (&setup, &picture, why));
    assert_int_equal (picture.bookings_count, 0);
    codec_clear (&batch_picture_codec, &picture);
    assert_true (gridengine.list (&setup, &listed, why));
    assert_int_equal (listed.count, 1);
    assert_string_equal (listed.words [0], OURS);

    assert_string_equal (keep (BACK_END_OPEN, both, 2), "");
    const char *closed = strstr (model.said, "qmod -d"), *gone = strstr (model.said, "qrdel " OURS);
    const char *open = strstr (model.said, "qmod -e");
    assert_true (closed && gone && open && closed < gone && gone < open);
    assert_int_equal (kept (), 0);
    assert_string_equal (keep (BACK_END_WATCH, both, 2), "");
    assert_null (strstr (model.said, "qrdel"));
    world_close ();
}

static void one_that_was_never_opened_goes_at_its_end (void **unused)
{
    (void) unused;
    world_begin ();
    assert_string_equal (names (OURS, 3600, both, 2), "");
    assert_string_equal (names (SECOND, 7201, both, 2), "");
    assert_int_equal (kept (), 2);
    assert_string_equal (closes (), "");
    assert_int_equal (kept (), 1);
    assert_true (advances_delete (SECOND));
    world_close ();
}

static void one_that_moves_is_made_beside_the_old_or_in_its_place (void **unused)
{
    (void) unused;
    world_begin ();
    assert_string_equal (names (OURS, 3600, both, 1), "");
    assert_string_equal (names (OURS, 3600, &both [1], 1), "");
    const char *made = strstr (model.said, "qrsub"), *gone = strstr (model.said, "qrdel 1\n");
    assert_true (made && gone && made < gone);
    assert_int_equal (kept (), 1);
    assert_string_equal (names (OURS, 1800, both, 2), "");
    made = strstr (model.said, "qrsub");
    gone = strstr (model.said, "qrdel 2\n");
    assert_true (made && gone && made < gone);
    assert_non_null (strstr (gone, "qrsub"));
    assert_int_equal (kept (), 1);
    world_close ();
}

/*  What was opened, and waits again since it was put off, gives the other queues back. */
static void one_that_is_put_off_gives_its_hosts_back (void **unused)
{
    (void) unused;
    world_open ();
    assert_string_equal (names (OURS, 3600, both, 2), "");
    assert_int_equal (kept (), 1);
    assert_true (state_is ("batch@g1", ""));
    assert_true (state_is (OURS "@g1", "d"));
    world_close ();
}

static void what_is_in_its_way_is_told (void **unused)
{
    (void) unused;
    world_begin ();
    model.jobs [0] = (model_job_t){"7", "r", "batch@g1", "batch", 5000};
    assert_string_equal (names (OURS, 3600, both, 2),
                         "Grid Engine's job 7 of bob is in its way until 1970-01-01T01:40:00Z");
    model.jobs [0].limit_s = 3590; /* its duration_offset reaches into it */
    assert_non_null (strstr (names (OURS, 3600, both, 2), "until 1970-01-01T01:16:30Z"));
    model.jobs [0].limit_s = 0;
    assert_string_equal (names (OURS, 3600, both, 2),
                         "Grid Engine's job 7 of bob is in its way until it is ended");
    model.jobs [0].limit_s = 3000;
    assert_string_equal (names (OURS, 3600, both, 2),
                         "Grid Engine gives no advance reservation of 4 slots by its parallel "
                         "environment make: it does not exist");
    model.jobs [0] = (model_job_t){.id = ""};
    assert_string_equal (names (SECOND, 1800, &both [1], 1), "");
    assert_string_equal (names (OURS, 3600, both, 2),
                         "Grid Engine's advance reservation 1 of root is in its way until "
                         "1970-01-01T01:46:41Z");
    world_close ();
}

static void what_is_no_longer_so_is_found_by_one_question (void **unused)
{
    (void) unused;
    char why [WHY_BYTES], *differ = NULL;
    world_begin ();
    assert_string_equal (names (OURS, 3600, both, 1), "");
    assert_string_equal (names (SECOND, 3600, &both [1], 1), "");
    back_end_order_t orders [] = {order_of (both, 1), order_of (&both [1], 1)};
    for (size_t i = 0; i < 2; i++) {
        orders [i].reservation = i == 0 ? OURS : SECOND;
        orders [i].from_ms = model.now_ms + 3600250;
        orders [i].until_ms = orders [i].from_ms + 3600000;
    }
    *model.said = '\0';
    assert_true (gridengine.compare (&setup, orders, 2, &differ, why));
    assert_null (differ);
    assert_string_equal (model.said, "qrstat -u * -xml\nqrstat -ar 2,1 -xml\n");
    assert_true (advances_delete (OURS));
    orders [1].until_ms += 1000;
    assert_true (gridengine.compare (&setup, orders, 2, &differ, why));
    assert_string_equal (differ,
                         ID " Grid Engine's advance reservation " OURS " is gone, or another\n"
                            "0123456789ab-1-2 Grid Engine's advance reservation " SECOND
                            " is gone, or another\n");
    free (differ);
    world_close ();
}

static void without_an_environment_over_hosts_what_there_is_stays (void **unused)
{
    (void) unused;
    world_begin ();
    assert_string_equal (names (OURS, 3600, both, 2), "");
    model.environments = "smp";
    assert_string_equal (names (OURS, 1800, both, 2),
                         "Grid Engine's queue batch has no parallel environment with "
                         "allocation_rule $round_robin or $fill_up, which an advance "
                         "reservation of hosts needs: name one in its pe_list (qconf -mq)");
    assert_int_equal (kept (), 1);
    world_close ();
}

static void named_as_long_before_as_the_longest_job_of_its_queue (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_begin ();
    model.limit = "2:0:0,[g1=3:0:0]";
    assert_true (gridengine.look (&setup, &picture, why));
    assert_int_equal (picture.reach_ms, 3 * 3600000);
    model.limit = NULL;
    assert_true (gridengine.look (&setup, &picture, why));
    assert_int_equal (picture.reach_ms, 0);
    codec_clear (&batch_picture_codec, &picture);
    world_end ();
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_was_disabled_is_given_back),
      cmocka_unit_test (little_is_left_to_do_at_its_start),
      cmocka_unit_test (a_queue_that_was_deleted_is_made_again_and_enabled),
      cmocka_unit_test (the_hosts_of_a_deleted_queue_are_given_back),
      cmocka_unit_test (what_an_operator_has_disabled_of_it_stays_so),
      cmocka_unit_test (a_note_of_an_instance_that_is_gone_goes),
      cmocka_unit_test (no_job_ends_because_its_host_is_not_heard),
      cmocka_unit_test (no_job_of_others_ends),
      cmocka_unit_test (those_that_may_be_run_again_make_way),
      cmocka_unit_test (all_make_way_and_are_told_for_whom),
      cmocka_unit_test (jobs_have_their_hosts_until_their_limits),
      cmocka_unit_test (a_host_has_features_and_gpus),
      cmocka_unit_test (only_what_is_exactly_ours_is_listed),
      cmocka_unit_test (a_host_is_silent_drained_or_up),
      cmocka_unit_test (each_state_of_the_sites_queue_takes_its_host_out),
      cmocka_unit_test (our_own_disabling_hides_nothing_else),
      cmocka_unit_test (what_its_calendar_has_closed_is_booked_and_not_taken_out),
      cmocka_unit_test (a_calendar_is_a_booking_of_its_hosts),
      cmocka_unit_test (what_has_no_times_is_booked_always_and_told),
      cmocka_unit_test (without_its_queue_a_site_loses_no_host),
      cmocka_unit_test (a_named_one_is_kept_until_its_own_queue_opens),
      cmocka_unit_test (one_that_was_never_opened_goes_at_its_end),
      cmocka_unit_test (one_that_moves_is_made_beside_the_old_or_in_its_place),
      cmocka_unit_test (one_that_is_put_off_gives_its_hosts_back),
      cmocka_unit_test (what_is_in_its_way_is_told),
      cmocka_unit_test (what_is_no_longer_so_is_found_by_one_question),
      cmocka_unit_test (without_an_environment_over_hosts_what_there_is_stays),
      cmocka_unit_test (named_as_long_before_as_the_longest_job_of_its_queue),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
