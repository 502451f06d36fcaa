/*  snapshot - where each need of a request could go, and what is free there: the picture on which
 *  a search runs.
 *
 *  It is made of the directory's descriptions (which classes are good enough at all, and the
 *  networks of all domains joined into one graph), filled with the free profiles that sites and
 *  domains answer, and corrected by what refusals teach. Those that disclose windows only are known
 *  at the windows asked and nowhere else.
 */
#ifndef MUSUBI_SNAPSHOT_H
#define MUSUBI_SNAPSHOT_H

#include "directory.h"
#include "free_profile.h"
#include "request.h"

typedef enum { SOURCE_SITE, SOURCE_DOMAIN } source_kind_t;

/*  Who can be asked what is free: a site that some need could use, or a network domain. */
typedef struct {
    participant_ref_t party; /* "lis/ams", "nis/N" */
    source_kind_t kind;
    disclosure_t disclosure;
    int64_t lead_ms;  /* with ahead_ms */
    int64_t ahead_ms; /* no notice that it wants, but time to be heard, since its clock is ahead */
    int64_t gap_ms;
    int64_t horizon_ms;
    bool asked;    /* by a survey, about everything that is wanted of it */
    bool silent;   /* what it would have said is not known */
    bool left_out; /* silent, or refused for a reason that planning can't mend */
    char why [WHY_BYTES];
} source_t;

/*  A class of a site. */
typedef struct {
    size_t source;
    char class_name [NAME_BYTES_MAX + 1];
    uint32_t nodes;
    uint32_t cpus_per_node;
    int64_t price;
    free_profile_t supply; /* of nodes */
} site_class_t;

/*  One need at one place. */
typedef struct {
    size_t place;
    uint32_t nodes; /* whole nodes that give its CPUs */
} option_t;

typedef struct {
    option_t *options;
    size_t options_count;
    size_t options_room;
    size_t could;       /* places good enough for it, options or not */
    bool site_known;    /* some site seen is the one it asks for, or it asks for none */
    bool class_known;   /* some class seen meets its requirements */
    uint64_t cpus_most; /* of such a class */
} need_options_t;

/*  Places that the need could have, and that nobody was asked about. */
size_t need_unasked (const need_options_t *self);

/*  A link of the graph. */
typedef struct {
    size_t source;
    bool useful; /* a path of some need may lie over it; the others need not be asked about */
    free_profile_t supply; /* of Mbit/s */
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
    size_t windows_starts; /* about which those were asked who disclose windows only */
} snapshot_t;

/*  A plan found on it. Lists are the finder's. */
typedef struct {
    int64_t start_ms;
    const size_t *options; /* by need: index into its options */
    const path_t *paths;   /* by network need; without links: both ends are on one site */
} choice_t;

/*  Empty, for the needs of a request that outlives it. */
snapshot_t *snapshot_new (const user_request_t *request);
void snapshot_destroy (snapshot_t **self_p);

/*  Take a site of the directory into account: its classes that are good enough for some need that
 *  has fewer than options_max yet. Again with a larger one after could was set back: more of them
 *  come in. */
void snapshot_consider (snapshot_t *self, const directory_entry_t *entry, size_t options_max);

/*  Take a domain of the directory into account, where the request has network needs at all. */
void snapshot_consider_domain (snapshot_t *self, const directory_entry_t *entry);

/*  All sites and domains are in: make the links. Where domains disagree, the graph can tell. When
 *  more sites are in, again: more of the links may be useful. */
void snapshot_join (snapshot_t *self);

/*  The source of that name, the place of that class; SIZE_MAX when there is none. */
size_t snapshot_source (const snapshot_t *self, const char *party_name);
size_t snapshot_place (const snapshot_t *self, size_t source, const char *class_name);

/*  Whole nodes of a place that give so many CPUs. */
uint32_t place_nodes (const site_class_t *place, uint32_t cpus);

/*  What is known of a class or link, by its name at its source; NULL when there is none. */
free_profile_t *snapshot_supply (snapshot_t *self, size_t source, const char *resource);

/*  Plan without this source from now on. */
void snapshot_leave_out (snapshot_t *self, size_t source, const char *why);

/*  Price of one need at one place, in micro-credits; bounded so that sums don't overflow. */
int64_t snapshot_cost (const snapshot_t *self, size_t need, const option_t *option);

/*  Price of one network need on a path, in micro-credits; bounded likewise. */
int64_t snapshot_path_cost (const snapshot_t *self, size_t network_need, const path_t *path);

/*  May the need's path lie over this link, as far as capacity and requirements go? */
bool snapshot_link_meets (const snapshot_t *self, size_t network_need, size_t link);

#endif
