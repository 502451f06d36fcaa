/*  file_questions - what a site's services, planners and indexes ask svc-replica about files
 *  (proto/replica.proto): where one is, and how far one is that is wanted at a storage node.
 */
#ifndef MUSUBI_FILE_QUESTIONS_H
#define MUSUBI_FILE_QUESTIONS_H

#include "staged_file.h"

#define STAY_MS_MAX       600000 /* of one stay; it is repeated before it ends */
#define STAGING_FILES_MAX 64     /* in one question */
#define STAGING_NODES_MAX 4096
#define STAGING_SITES_MAX 512
/*  Mbit/s counted on where nothing was measured, before any margin. */
#define STAGING_UNMEASURED_MBPS 100
#define STAGED_PATH_MAX         4095 /* bytes of a path */
#define PLACES_MAX              512  /* of one file */

/*  --- Replica.Stay: asked by the site's svc-lis and its administrators --- */

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    char node [NAME_BYTES_MAX + 1];
    char who [NAME_BYTES_MAX + 1];
    uint32_t stay_ms; /* 0 = it ends */
    bool look;        /* only tell */
    bool doubt;       /* the copy is to be read again before it is READY */
} stay_question_t;
extern const codec_t stay_question_codec;

/*  Owns path: codec_clear. */
typedef struct {
    staged_state_t state;
    uint64_t size;
    bool digest_known;
    uint8_t digest [FILE_DIGEST_BYTES];
    uint64_t has;
    char *path; /* READY: of the copy, on its node; NULL = not known */
    char why [STAGED_WHY_BYTES];
    char source [NAME_BYTES_MAX + 1];
} stay_answer_t;
extern const codec_t stay_answer_codec;

/*  --- Replica.TakeIn: asked as Stay --- */

/*  Owns path: codec_clear. */
typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    char node [NAME_BYTES_MAX + 1];
    char *path; /* a name in the node's folder for arrivals */
    char owner [NAME_BYTES_MAX + 1];
    char home [NAME_BYTES_MAX + 1]; /* "ams", which is to have it; "" = this site */
} take_in_question_t;
extern const codec_t take_in_question_codec;

typedef struct {
    staged_state_t state; /* COMING, READY, LATE */
    uint64_t size;
    bool digest_known;
    uint8_t digest [FILE_DIGEST_BYTES];
    char why [STAGED_WHY_BYTES];
} take_in_answer_t;
extern const codec_t take_in_answer_codec;

/*  --- Locate: asked of svc-replicas and their indexes --- */

/*  A site, and what it tells others about a file that it has. */
typedef struct {
    char site [NAME_BYTES_MAX + 1]; /* "ams"; must be the first member */
    content_t content;
    int64_t created_ms;
    uint32_t sound; /* sound copies at the site */
    uint32_t staged;
    bool kept;
    uint32_t quarantined;            /* copies there that have wrong bytes; of the first of them: */
    uint64_t bad;                    /* its bad MiBs; 0 = not known which */
    uint64_t bad_at;                 /* offset of the first */
    uint32_t nodes;                  /* of the site that a rule wants to have it; 0 = any one */
    char owner [NAME_BYTES_MAX + 1]; /* the actor that put it; "" = not known */
    uint32_t sending;                /* transfers that the site feeds to others, */
    uint32_t feeds;                  /* those of this file among them */
    char from [NAME_BYTES_MAX + 1];  /* the site that feeds this file to it; "" = none */
} file_place_t;
extern const codec_t file_place_codec;

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
} file_locate_t;
extern const codec_t locate_codec;

typedef struct {
    file_place_t *places;
    size_t count;
} places_told_t;
extern const codec_t places_told_codec;

/*  --- Replica.Staging: asked by planners --- */

/*  Each owns its lists: codec_clear. */
typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    uint64_t size;
    char (*sites) [NAME_BYTES_MAX + 1]; /* that have it */
    size_t sites_count;
} staging_question_t;

typedef struct {
    staging_question_t *files;
    size_t count;
} staging_asked_t;
extern const codec_t staging_asked_codec;

typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    char (*nodes) [NAME_BYTES_MAX + 1]; /* of the site that have it whole, ascending */
    size_t nodes_count;
    char source [NAME_BYTES_MAX + 1]; /* "" = none of the sites can be asked now */
    uint64_t bytes_per_s;             /* 0 = not measured */
    bool kept; /* what these nodes have lasts: a booking of the file there takes no bytes */
} staging_answer_t;

typedef struct {
    staging_answer_t *files; /* in the order asked */
    size_t count;
    uint64_t bytes_max; /* of the site's largest storage node; 0 = not known */
} staging_told_t;
extern const codec_t staging_told_codec;

#endif
