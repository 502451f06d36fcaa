/*  site - what a site offers: classes of identical nodes, and how it deals with requests.
 *
 *  Plain values, as LIS is configured with, GIS tells and planners plan with.
 */
#ifndef MUSUBI_SITE_H
#define MUSUBI_SITE_H

#include "codec.h"
#include "core.h"

#define SITE_CLASSES_MAX          64
#define CLASS_ATTRIBUTES_MAX      32
#define ATTRIBUTE_VALUE_BYTES_MAX 127
#define NODES_MAX                 10000000 /* of one class */
#define CPUS_PER_NODE_MAX         1000000

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    char value [ATTRIBUTE_VALUE_BYTES_MAX + 1];
} attribute_t;

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    uint32_t nodes;
    uint32_t cpus_per_node; /* >= 1 */
    int64_t price;          /* micro-credits a CPU-hour */
    attribute_t *attributes;
    size_t attributes_count;
} node_class_t;

typedef enum { DISCLOSE_PROFILE, DISCLOSE_WINDOWS } disclosure_t;

typedef struct {
    node_class_t *classes;
    size_t classes_count;
    disclosure_t disclosure;
    int64_t lead_ms;         /* refuses windows nearer than this */
    int64_t horizon_ms;      /* books at most this far ahead */
    int64_t cleaning_gap_ms; /* kept free after each booking */
} site_t;

/*  A site's storage, as its svc-replica tells it. */
typedef struct {
    char name [NAME_BYTES_MAX + 1]; /* unique at the site */
    uint32_t mib; /* that reservations may have at most; 0 = it has not been heard of yet */
} storage_offer_t;

typedef struct {
    storage_offer_t *nodes;
    size_t nodes_count; /* at most SITE_STORAGE_MAX */
    disclosure_t disclosure;
    int64_t lead_ms;    /* refuses windows nearer than this */
    int64_t horizon_ms; /* books at most this far ahead */
} site_storage_t;

#define SITE_STORAGE_MAX 4096 /* storage nodes */

/*  One wanted property: equal as text, or at least min as a number. */
typedef struct {
    char attribute [NAME_BYTES_MAX + 1];
    bool numeric; /* min counts, else value */
    double min;
    char value [ATTRIBUTE_VALUE_BYTES_MAX + 1];
} requirement_t;

extern const codec_t attribute_codec;
extern const codec_t node_class_codec;
extern const codec_t site_codec;
extern const codec_t storage_offer_codec;
extern const codec_t site_storage_codec;
extern const codec_t requirement_codec;

/*  The class of that name, NULL when there is none. */
const node_class_t *site_class (const site_t *self, const char *name);

/*  The storage node of that name, NULL when there is none. */
const storage_offer_t *site_storage_node (const site_storage_t *self, const char *name);

/*  Whole nodes that give so many CPUs: ceil (cpus / cpus_per_node). */
uint32_t class_nodes_for (const node_class_t *self, uint32_t cpus);

/*  Do the attributes meet all requirements? */
bool attributes_meet (const attribute_t *attributes, size_t attributes_count,
                      const requirement_t *require, size_t require_count);

/*  Does the class meet all requirements? */
bool class_meets (const node_class_t *self, const requirement_t *require, size_t require_count);

#endif
