/*  shaper_seen - what tc shows of one device, read into plain values. Pure. */
#ifndef MUSUBI_SHAPER_SEEN_H
#define MUSUBI_SHAPER_SEEN_H

#include "shaper.h"

#define FILTER_MATCHES_MAX 8

typedef struct {
    uint32_t minor; /* of its class id */
    double rate;    /* bit/s */
    double ceil;
} seen_class_t;

typedef struct {
    uint32_t value, mask;
    unsigned offset;
} filter_match_t;

/*  Without gaps: two are compared byte by byte. */
typedef struct {
    uint32_t pref;
    uint32_t minor; /* of the class that it leads to */
    filter_match_t matches [FILTER_MATCHES_MAX];
    size_t count;
} seen_filter_t;

typedef struct {
    bool there;
    bool own;                              /* its root is an htb that we have made */
    bool ingress;                          /* it has an ingress discipline, or clsact */
    char others [INTERFACE_BYTES_MAX * 3]; /* a root that somebody else has made: "tbf 1:"; or "" */
    char *qdiscs;                          /* as tc shows them, for queues below classes */
    seen_class_t *classes;
    size_t classes_count;
    seen_filter_t *filters;
    size_t filters_count;
} seen_device_t;

/*  The outputs of "tc qdisc show", "tc class show" and "tc filter show"; each adds to *self. */
void seen_qdiscs (seen_device_t *self, char *output);
void seen_classes (seen_device_t *self, char *output);
void seen_filters (seen_device_t *self, char *output);
void seen_clear (seen_device_t *self);

const seen_class_t *seen_class (const seen_device_t *self, uint32_t minor);

#endif
