/*  site_settings - what a site's own file and a federation's description of it say alike: rows that
 *  svc-lis, its agents and `musubi federation` share.
 */
#ifndef MUSUBI_SITE_SETTINGS_H
#define MUSUBI_SITE_SETTINGS_H

#include "setting.h"

/*  attributes/os = linux */
typedef struct {
    const char *name;
    const char *value;
} attribute_setting_t;

extern const setting_table_t attribute_table;

/*  classes/thin/… */
typedef struct {
    const char *name;
    uint32_t nodes;
    uint32_t cpus_per_node;
    double price;      /* credits a CPU-hour */
    const char *names; /* of its nodes; "" = CLASS-001 and so on */
    attribute_setting_t *attributes;
    size_t attributes_count;
} class_section_t;

extern const setting_table_t class_table;

/*  accounts/ops = "carol", and what a batch system charges. */
typedef struct {
    const char *name;
    const char *actors; /* NULL: nothing was said */
    const char *account;
    const char *qos;
    const char *user; /* NULL: as name */
} account_section_t;

extern const setting_table_t account_table; /* the actors alone */
extern const setting_table_t charged_account_table;

#define ACCOUNT_SECTIONS_MAX 4096

/*  A site's batch system, as the site and its agent have it. */
typedef struct {
    const char *queue;
    const char *programs;
    const char *prefix;
    const char *inputs_shared;
    const char *inputs_node;
    int64_t limit_ms;
} batch_settings_t;

extern const setting_table_t batch_table;

/*  The same, and what the site alone has. */
typedef struct {
    batch_settings_t system;
    int64_t watch_ms;
    uint32_t ahead;
} site_batch_settings_t;

extern const setting_table_t site_batch_table;

/*  What nodes a site has, and what runs on them. */
typedef struct {
    class_section_t *classes;
    size_t classes_count;
    const char *back_end;
    site_batch_settings_t batch;
} machines_settings_t;

extern const setting_table_t machines_table;

typedef struct {
    uint32_t attend_ms; /* the longest time between two questions of an agent */
    uint32_t silent_ms;
    uint32_t lease_ms;
    uint32_t lost_ms; /* lease_ms and 30 s */
} nodes_terms_t;

extern const setting_table_t nodes_table;

typedef struct {
    int64_t bind_ms;    /* nodes are bound so long before the start */
    int64_t warning_ms; /* runs are warned so long before the end */
    int64_t grace_ms;   /* between SIGTERM and SIGKILL at the end */
    const char *clear;
    const char *end_for;
    int64_t lend_ms;    /* lent to preemptible runs when unused for so long; 0 = never */
    int64_t release_ms; /* given back when unused for so long; 0 = never */
} opening_settings_t;

extern const setting_table_t opening_table;

#endif
