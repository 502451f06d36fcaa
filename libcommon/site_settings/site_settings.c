/*  site_settings - the rows. */
#include "site_settings.h"

#include "batch_config.h"
#include "site.h"

#include <stdio.h>

static const setting_t attribute_rows [] = {
  SET_NAME (attribute_setting_t, name),
  SET_TEXT (attribute_setting_t, value, "", NULL,
            "a property that requests may ask for, such as os = linux"),
};
const setting_table_t attribute_table = SETTING_TABLE (attribute_setting_t, attribute_rows, NULL);

static const setting_t class_rows [] = {
  SET_NAME (class_section_t, name),
  SET_COUNT_NEEDED (class_section_t, nodes, "nodes", 0, NODES_MAX, "identical nodes of this class"),
  SET_COUNT (class_section_t, cpus_per_node, "cpus_per_node", 1, 1, CPUS_PER_NODE_MAX,
             "CPUs of each node; nodes are granted whole"),
  SET_REAL (class_section_t, price, "price", 1, 0, 0, 1000000000,
            "credits a CPU-hour, to a millionth"),
  SET_TEXT (class_section_t, names, "names", "",
            "with a back end: names of its nodes, such as n001, n[002-064]; without names they are "
            "CLASS-001 and so on"),
  SET_EACH (class_section_t, attributes, attributes_count, "attributes", attribute_setting_t,
            &attribute_table, CLASS_ATTRIBUTES_MAX),
};
const setting_table_t class_table = SETTING_TABLE (class_section_t, class_rows, NULL);

#define ACCOUNT_ROWS                                                                               \
    SET_NAME (account_section_t, name),                                                            \
      SET_TEXT (account_section_t, actors, "", NULL,                                               \
                "actors that have this local account, separated by commas; * = anybody. An actor " \
                "without an account can't reserve here")

static const setting_t account_rows [] = {ACCOUNT_ROWS};
const setting_table_t account_table = SETTING_TABLE (account_section_t, account_rows, NULL);

static const setting_t charged_account_rows [] = {
  ACCOUNT_ROWS,
  SET_TEXT (account_section_t, account, "account", "",
            "with a batch system: its account that these actors charge (Slurm's --account, Grid "
            "Engine's project); reservations there are for it alone"),
  SET_TEXT (account_section_t, qos, "qos", "", "with Slurm: the QOS of their jobs"),
  SET_TEXT (account_section_t, user, "user", NULL,
            "the local account, where the section has another name, as a second one for it has"),
};
const setting_table_t charged_account_table =
  SETTING_TABLE (account_section_t, charged_account_rows, NULL);

static const setting_t batch_rows [] = {
  SET_TEXT (batch_settings_t, queue, "queue", "",
            "with a batch system: its partition, or its queue, that is the site's"),
  SET_TEXT (batch_settings_t, programs, "programs", "",
            "with commands: absolute path of the folder of its programs "
            "(svc-lis/commands/README.md)"),
  SET_TEXT (batch_settings_t, prefix, "prefix", "musubi",
            "what all names of the site's in its batch system begin with: PREFIX-SITE-ID; for "
            "sites of one name on one batch system. The site and its agent must have the same"),
  SET_TEXT (batch_settings_t, inputs_shared, "inputs/shared", "",
            "for its agent: absolute path of the folder of a storage node of the site (svc-replica "
            "node), on a disk that all nodes see; without it no task with inputs or outputs runs "
            "there"),
  SET_TEXT (batch_settings_t, inputs_node, "inputs/node", "",
            "for its agent: the name of that storage node"),
  SET_DURATION (batch_settings_t, limit_ms, "limit", 10 * MS_SECOND, 100, MS_DAY,
                "the time that a command of the batch system may take"),
};
const setting_table_t batch_table = SETTING_TABLE (batch_settings_t, batch_rows, NULL);

static const setting_t site_batch_rows [] = {
  SET_INSIDE (site_batch_settings_t, system, "", batch_settings_t, &batch_table),
  SET_DURATION (site_batch_settings_t, watch_ms, "watch", 5 * MS_SECOND, 100, MS_DAY,
                "how often the batch system is asked whether it still has a reservation as it was "
                "told"),
  SET_COUNT (site_batch_settings_t, ahead, "ahead", 500, 0, 100000,
             "so many of the nearest reservations that wait are made in Slurm or Grid Engine long "
             "before their start; 0: none before opening/bind"),
};
const setting_table_t site_batch_table =
  SETTING_TABLE (site_batch_settings_t, site_batch_rows, NULL);

static const setting_t machines_rows [] = {
  SET_EACH (machines_settings_t, classes, classes_count, "classes", class_section_t, &class_table,
            SITE_CLASSES_MAX),
  SET_TEXT (machines_settings_t, back_end, "back_end", "none",
            "none: the site keeps reservations' times only; runner: it runs tasks on its "
            "nodes; " BATCH_SYSTEM_WORDS
            ": its nodes are this batch system's, which runs the tasks"),
  SET_INSIDE (machines_settings_t, batch, "batch/", site_batch_settings_t, &site_batch_table),
};
const setting_table_t machines_table = SETTING_TABLE (machines_settings_t, machines_rows, NULL);

#define RUNS_END_MS 30000 /* a starter gives its run 10 s before it kills it */

static const setting_t nodes_rows [] = {
  SET_DURATION (nodes_terms_t, attend_ms, "attend", 10 * MS_SECOND, 100, MS_DAY,
                "the longest time between two questions of a node's agent"),
  SET_DURATION (nodes_terms_t, silent_ms, "silent", 25 * MS_SECOND, 100, MS_DAY,
                "a node that is silent for this long gets no new runs"),
  SET_DURATION (nodes_terms_t, lease_ms, "lease", 5 * MS_MINUTE, MS_SECOND, MS_DAY,
                "an agent that gets no answer for this long ends the runs on its node; after 30 s "
                "more the node is lost, with its runs"),
  SET_MERGED_DURATION (nodes_terms_t, lost_ms, "lost", "nodes/lease and 30s"),
};

static const void *nodes_rule (void *settings, char why [WHY_BYTES])
{
    nodes_terms_t *terms = settings;
    terms->lost_ms = terms->lease_ms + RUNS_END_MS;
    if (terms->silent_ms <= terms->attend_ms) {
        snprintf (why, WHY_BYTES, "must be longer than nodes/attend");
        return &terms->silent_ms;
    }
    if (terms->lease_ms <= terms->silent_ms) {
        snprintf (why, WHY_BYTES, "must be longer than nodes/silent");
        return &terms->lease_ms;
    }
    return NULL;
}

const setting_table_t nodes_table = SETTING_TABLE (nodes_terms_t, nodes_rows, nodes_rule);

static const setting_t opening_rows [] = {
  SET_DURATION (opening_settings_t, bind_ms, "bind", 5 * MS_SECOND, 0, 10 * MS_YEAR,
                "how long before its start a reservation gets its nodes, and they are cleared; at "
                "most the lead. With Slurm it is made there so long before its start, if anything "
                "is given; else as long as the longest job that may begin there"),
  SET_DURATION (opening_settings_t, warning_ms, "warning", MS_MINUTE, 0, MS_DAY,
                "how long before the end of a reservation its runs are warned"),
  SET_DURATION (opening_settings_t, grace_ms, "grace", 10 * MS_SECOND, 0, MS_DAY,
                "time between SIGTERM and SIGKILL"),
  SET_TEXT (opening_settings_t, clear, "clear", "",
            "what becomes of tasks of the queue, and with a batch system of jobs, on nodes that a "
            "reservation needs: wait = none ends, and with a batch system (the default there) each "
            "has its node until its limit, so nothing is reserved over it; requeue (with one only) "
            "= those that may be run again make way; end = all do (without one the default): tasks "
            "are warned when their node is bound and ended at the start"),
  SET_TEXT (opening_settings_t, end_for, "end_for", "",
            "actors whose reservations end jobs in the batch system, whatever opening/clear is for "
            "others; separated by commas"),
  SET_DURATION (opening_settings_t, lend_ms, "lend", 5 * MS_MINUTE, 0, MS_DAY,
                "a reservation unused for this long is lent to preemptible tasks; 0s = never"),
  SET_DURATION (opening_settings_t, release_ms, "release", 0, 0, MS_DAY,
                "a reservation unused for this long is given back to the queue; 0s = never"),
};
const setting_table_t opening_table = SETTING_TABLE (opening_settings_t, opening_rows, NULL);
