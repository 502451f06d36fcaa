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

#include "directory.h"
#include "free_profile.h"
#include "request.h"

typedef enum { SOURCE_SITE, SOURCE_DOMAIN } source_kind_t;

/*  Somebody who can be asked what is free: a site that some need could use, or a network domain. */
typedef struct {
    participant_ref_t party; /* "lis/ams", "nis/N" */
    source_kind_t kind;
    disclosure_t disclosure;
    int64_t lead_ms;  /* how long before its start a reservation must be made; includes ahead_ms */
    int64_t ahead_ms; /* added because its clock is ahead of ours */
    int64_t gap_ms;
    int64_t horizon_ms;
    bool asked;    /* a query has asked it about everything that is wanted of it */
    bool silent;   /* it did not answer */
    bool left_out; /* plan without it: it is silent, or refused for good */
    char why [WHY_BYTES];
} source_t;

/*  A class of a site. */
typedef struct {
    size_t source;
    char class_name [NAME_BYTES_MAX + 1];
    uint32_t nodes;
    uint32_t cpus_per_node;
    int64_t price;
    free_profile_t free_profile; /* of nodes */
} site_class_t;

/*  One need at one place. */
typedef struct {
    size_t place;
    uint32_t nodes; /* whole nodes that have its CPUs */
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

/*  A link of the graph. */
typedef struct {
    size_t source;
    bool useful; /* a path of some need may use it; only useful links are asked about */
    free_profile_t free_profile; /* of Mbit/s */
} snapshot_link_t;

typedef struct {
    const user_request_t *request; /* borrowed */
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
} snapshot_t;

/*  A plan found on a snapshot; the lists belong to whoever found it. */
typedef struct {
    int64_t start_ms;
    const size_t *options; /* by need: index into its options */
    const path_t *paths;   /* by network need; without links: both ends are on one site */
} choice_t;

/*  An empty snapshot for the needs of a request, which must outlive it. */
snapshot_t *snapshot_new (const user_request_t *request);
void snapshot_destroy (snapshot_t **self_p);

/*  Adds a site of the directory: those of its classes that are good enough for some need with fewer
 *  than options_max options. To take in more, set `could` back and call it again with a larger
 *  options_max. */
void snapshot_consider (snapshot_t *self, const directory_entry_t *entry, size_t options_max);

/*  Adds a domain of the directory, if the request has network needs. */
void snapshot_consider_domain (snapshot_t *self, const directory_entry_t *entry);

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
