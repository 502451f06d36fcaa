/*  snapshot - where each need of a request could go, and what is free there: what a search works
 *  on.
 *
 *  It is made from the directory's descriptions: the classes that are good enough, and the networks
 *  of all domains joined into one graph. It is filled with the free profiles that sites and domains
 *  answer, and corrected by what refusals tell. Of those that disclose windows only, nothing is
 *  known but the windows asked about.
 */
#ifndef MUSUBI_SNAPSHOT_H
#define MUSUBI_SNAPSHOT_H

#include "derive.h"
#include "directory.h"
#include "file_places.h"
#include "free_profile.h"
#include "request.h"

typedef enum { SOURCE_SITE, SOURCE_DOMAIN, SOURCE_STORAGE } source_kind_t;

/*  Somebody who can be asked what is free: a site that some need could use, a network domain, or
 *  the storage of a site. */
typedef struct {
    participant_ref_t party; /* "lis/ams", "nis/N", "replica/ams" */
    source_kind_t kind;
    disclosure_t disclosure;
    int64_t lead_ms;  /* how long before its start a reservation must be made; includes ahead_ms */
    int64_t ahead_ms; /* added because its clock is ahead of ours */
    int64_t gap_ms;
    int64_t horizon_ms;
    bool asked;    /* a query has asked it about everything that is wanted of it */
    bool put_off;  /* it is not asked yet: its summary stands for an answer */
    bool useful;   /* it is no domain, or one with a useful link: others are not asked */
    bool silent;   /* it did not answer */
    bool left_out; /* plan without it: it is silent, or refused for good */
    char why [WHY_BYTES];
    const free_summary_t *summary; /* the directory's; good until links are made of it */
} source_t;

/*  A class of a site; or a storage node, which is like a class of so many nodes of one CPU each as
 *  it has MiB; or a site as the source of a file, which has neither name nor nodes. Those of one
 *  storage follow each other. */
typedef struct {
    size_t source;
    size_t site; /* a number that all places of a site have in common, whoever offers them */
    char class_name [NAME_BYTES_MAX + 1];
    uint32_t nodes;
    uint32_t cpus_per_node;
    int64_t price;
    free_profile_t free_profile; /* of nodes, MiB */
} site_class_t;

/*  One need at one place. */
typedef struct {
    size_t place;
    uint32_t nodes;    /* whole nodes that have its CPUs; MiB; 0 of a source */
    uint32_t spread;   /* so many places from this one on, each with so many nodes; mostly 1 */
    int64_t before_ms; /* it is taken so much earlier than the need begins: a file is coming */
} option_t;

typedef struct {
    option_t *options;
    size_t options_count;
    size_t options_room;
    size_t could;       /* places good enough for it, whether they became options or not */
    bool site_known;    /* the site it names was seen, or it names none */
    bool class_known;   /* a class that meets its requirements was seen */
    uint64_t cpus_most; /* the most that such a class has */
} need_options_t;

/*  How many places the need could have about which nobody was asked. */
size_t need_unasked (const need_options_t *self);

/*  What is supposed of those that are not asked yet: that all is free which their summaries do not
 *  deny. A plan found so bounds from below when any plan can start, and what it costs. */
typedef struct {
    bool on;
    int64_t now_ms; /* wall */
    starts_t starts;
    int64_t soonest_ms; /* as in search_order_t */
} suppositions_t;

/*  A link of the graph. */
typedef struct {
    size_t source;
    bool useful; /* a path of some need may use it; only useful links are asked about */
    free_profile_t free_profile; /* of Mbit/s */
} snapshot_link_t;

typedef struct {
    const user_request_t *request; /* borrowed; with storage or files: derived, and owned */
    user_request_t *derived;       /* NULL = none */
    size_t asked_count;            /* compute needs of the user; derived ones follow */
    staging_terms_t terms;
    const file_places_t *files; /* one a data need, once told; borrowed; or NULL */
    source_t *sources;
    size_t sources_count;
    size_t sources_room;
    site_class_t *places;
    size_t places_count;
    size_t places_room;
    need_options_t *needs;  /* request->compute_count */
    graph_t *graph;         /* of all domains; NULL when the request has no network needs */
    snapshot_link_t *links; /* as the graph counts them; made by snapshot_join */
    size_t links_count;
    size_t windows_starts; /* how many starts windows were asked about */
    suppositions_t supposed;
    int64_t outside_ms;      /* no place that is not among the options can start earlier, by what
                                may be free there; INT64_MAX = there is none */
    int64_t outside_lead_ms; /* nor has a shorter lead */
    uint32_t *named;         /* sources by name: index + 1; 0 = free */
    size_t named_room;
} snapshot_t;

/*  A plan found on a snapshot; the lists belong to whoever found it. */
typedef struct {
    int64_t start_ms;
    const size_t *options; /* by need, derived ones as well: index into its options */
    const path_t *paths;   /* by network need; without links: both ends are on one site */
} choice_t;

/*  An empty snapshot for the needs of a request, which must outlive it. What data and space needs
 *  ask for is derived here (derive.h); NULL: with the default terms. */
snapshot_t *snapshot_new (const user_request_t *request, const staging_terms_t *terms);
void snapshot_destroy (snapshot_t **self_p);

/*  Adds a site of the directory: those of its classes that are good enough for some need with fewer
 *  than options_max options. To take in more, set `could` back and call it again with a larger
 *  options_max. */
void snapshot_consider (snapshot_t *self, const directory_entry_t *entry, size_t options_max);

/*  When the entry could begin with some need, as far as its lead and its summary tell; INT64_MAX:
 *  not in the request's time, or never. */
int64_t snapshot_may_start (const snapshot_t *self, const directory_entry_t *entry);

/*  May it begin with some need as soon as its lead allows? */
bool snapshot_may_start_at_once (const snapshot_t *self, const directory_entry_t *entry);

/*  A source that was put off is to be asked: nothing is supposed of it any more. */
void snapshot_want (snapshot_t *self, size_t source);

/*  Adds a domain of the directory, if the request has network needs. */
void snapshot_consider_domain (snapshot_t *self, const directory_entry_t *entry);

/*  Adds what a site's storage could do: its nodes, where a need for storage could be at that site;
 *  and the site as the source of files that it has. To be called when all sites are in, and again
 *  when more are. files: one a data need, or NULL. */
void snapshot_consider_storage (snapshot_t *self, const directory_entry_t *entry,
                                const file_places_t *files);

/*  Says how long before a file is due it begins to come, at each option; STAGING_NEVER where it
 *  can't. To be called when all that will be known of files is. */
void snapshot_stage (snapshot_t *self, const file_places_t *files);

#define STAGING_NEVER (INT64_C (1) << 50) /* ms: no plan has so much time */

/*  The longest lead of all sources that plans may use: of a plan with files it counts from the
 *  first byte on, whoever it is that needs it (T9). */
int64_t snapshot_lead_ms (const snapshot_t *self);

/*  When a need takes what it asks for last, at this option and start; without the cleaning gap. */
void option_interval (const snapshot_t *self, size_t need, const option_t *option, int64_t start_ms,
                      int64_t *from_ms, int64_t *until_ms);

/*  What is booked for a need for storage, on the k-th node of this option: from the site `source`
 *  by the data need's circuit; with NULL from where the file is had without one. */
space_booking_t snapshot_space_booking (const snapshot_t *self, size_t need, const option_t *option,
                                        uint32_t k, int64_t start_ms, const char *source);

/*  May a derived need be at this option when the need whose site it shares is at that one? */
bool option_beside (const snapshot_t *self, size_t need, const option_t *option,
                    const option_t *at);

/*  Makes the links, once all sites and domains are in. Call it again when more sites are in: more
 *  links may be useful then. */
void snapshot_join (snapshot_t *self);

/*  The source of this name; the place of this class. SIZE_MAX when there is none. */
size_t snapshot_source (const snapshot_t *self, const char *party_name);
size_t snapshot_place (const snapshot_t *self, size_t source, const char *class_name);

/*  How many whole nodes of a place have so many CPUs. */
uint32_t place_nodes (const site_class_t *place, uint32_t cpus);

/*  What is known of a class or link, by its name at its source; NULL when there is none. */
free_profile_t *snapshot_free_profile (snapshot_t *self, size_t source, const char *resource);

/*  Leaves this source out of all plans from now on. */
void snapshot_leave_out (snapshot_t *self, size_t source, const char *why);

/*  The price of one need at one place, in micro-credits; bounded so that sums don't overflow. */
int64_t snapshot_cost (const snapshot_t *self, size_t need, const option_t *option);

/*  The price of one network need on a path, in micro-credits; bounded likewise. */
int64_t snapshot_path_cost (const snapshot_t *self, size_t network_need, const path_t *path);

/*  May the need's path use this link, as far as capacity and requirements go? */
bool snapshot_link_meets (const snapshot_t *self, size_t network_need, size_t link);

#endif
