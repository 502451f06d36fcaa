/*  catalogue - the files of one site, and the copies of each on the site's storage nodes.
 *
 *      staged       its bytes are on the way
 *      sound        its digest was right when it was last checked
 *      stale        it is another file
 *      quarantined  some of its bytes are wrong; it stays until it is mended
 *      evicting     until its node says that it has dropped it
 *
 *  catalogue.c has the table of which follows which. Any copy is gone when its node says so.
 *
 *  Every change is stored in the step that makes it, together with whatever was promised because of
 *  it. A name stands for one content as long as the site has it: size and digest never change.
 *  Changes are numbered, so that indexes can be told what is new (publisher.h). Pure.
 */
#ifndef MUSUBI_CATALOGUE_H
#define MUSUBI_CATALOGUE_H

#include "file_index.h"
#include "service.h"

#define COPIES_MAX         CHAIN_RECEIVERS_MAX /* of one file at one site */
#define NODES_ALL          UINT32_MAX          /* of a site; also all sites that a rule is for */
#define RULE_SITES_BYTES   256
#define USED_KEEP_MS       60000 /* how exactly the time of last use is stored */
#define CATALOGUE_GONE_MAX 65536 /* names of gone files that are remembered for the indexes */

typedef enum { COPY_STAGED, COPY_SOUND, COPY_STALE, COPY_EVICTING, COPY_QUARANTINED } copy_state_t;

typedef struct {
    char node [NAME_BYTES_MAX + 1]; /* must be the first member */
    copy_state_t state;
    int64_t proved_ms; /* wall; 0 = never */
    uint64_t bad;      /* QUARANTINED: its bad MiBs; 0 = not known which */
    uint64_t bad_at;   /* offset of the first of them */
} copy_t;

typedef enum { SPREAD_SITES, SPREAD_DOMAINS } spread_t;

typedef struct {
    uint32_t copies; /* sites; NODES_ALL = all that it is for; 0 = its home is elsewhere, or none */
    spread_t spread;
    uint32_t nodes;                /* of each site; NODES_ALL = all; 0 = any one */
    char sites [RULE_SITES_BYTES]; /* that it is for: "ams,berlin"; "" = all */
} replica_rule_t;

/*  To be read by others, changed by catalogue.c only. */
typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    content_t content;
    char owner [NAME_BYTES_MAX + 1];
    int64_t created_ms; /* wall, when it was put, at whichever site */
    bool kept;          /* never evicted to make room */
    bool pinned;
    int64_t expires_ms; /* wall; 0 = never */
    int64_t used_ms;    /* wall */
    int64_t used_stored_ms;
    bool rule_set; /* always true: "no rule" is sent and stored, too */
    replica_rule_t rule;
    copy_t *copies;
    size_t copies_count;
    uint64_t changed; /* number of its last change */
    bool gone;        /* only its name is left, for the indexes */
} file_t;

typedef struct catalogue catalogue_t;

/*  Loads and keeps TABLE_FILES. files_max bounds the names. */
catalogue_t *catalogue_new (service_t *service, uint32_t files_max);
void catalogue_destroy (catalogue_t **self_p);

/*  NULL when the site does not have the file. Valid until the next change. */
file_t *catalogue_find (const catalogue_t *self, const char *name);

/*  By name: the file after this name, or the first for NULL. */
const file_t *catalogue_after (const catalogue_t *self, const char *name);

/*  NULL when there is no such copy, or no file. */
copy_t *file_copy (const file_t *file, const char *node);

/*  Is a copy there for good: one that the cache never drops to make room? */
bool copy_lasts (const file_t *file, const copy_t *copy);
uint32_t file_copies (const file_t *file, copy_state_t state);

/*  What this site tells others about the file. */
file_place_t file_place (const file_t *file, const char *site);

typedef enum { CATALOGUE_OK, CATALOGUE_FULL, CATALOGUE_OTHER } catalogue_answer_t;

/*  A copy is on its way to a node. A quarantined one stays so until the new one is there. If the
 *  name is new, it gets what file says. CATALOGUE_OTHER when the site has the name with another
 *  size or digest, CATALOGUE_FULL at files_max or COPIES_MAX. */
catalogue_answer_t catalogue_stage (catalogue_t *self, const file_t *file, const char *node);

/*  A node has proved a copy, which may be new to the site. CATALOGUE_OTHER when size or digest
 *  differ from the file's; then the copy is stale. */
catalogue_answer_t catalogue_prove (catalogue_t *self, const file_t *file, const char *node,
                                    int64_t proved_ms);

/*  A node has found a copy wrong, which may be new to the site. It is kept, and never gone before
 *  its node says so. Answers like catalogue_prove. */
catalogue_answer_t catalogue_quarantine (catalogue_t *self, const file_t *file, const char *node,
                                         const damage_t *damage);

/*  A copy that was staged does not come. */
void catalogue_unstage (catalogue_t *self, const char *name, const char *node);

/*  Sets the state of a copy. Nothing happens when there is no such copy, or its state can't change
 *  so. */
void catalogue_move (catalogue_t *self, const char *name, const char *node, copy_state_t to);

/*  A copy is gone. The file leaves with its last copy. */
void catalogue_gone (catalogue_t *self, const char *name, const char *node);

/*  The file is being used now. */
void catalogue_use (catalogue_t *self, const char *name, int64_t wall_ms);

/*  What is wanted of a file of the site: it gets kept, pinned, expires_ms and rule from this copy
 *  of it. */
void catalogue_want (catalogue_t *self, const file_t *wanted);

/*  Whose file it is, and since when, if that is not known yet. */
void catalogue_own (catalogue_t *self, const char *name, const char *owner, int64_t created_ms);

/*  The first change after this number, of a gone file, too; NULL = none. */
const file_t *catalogue_changed (const catalogue_t *self, uint64_t number);

/*  Are all changes after this number known? If not, an index must begin with 0, and is not told of
 *  gone files. */
bool catalogue_knows (const catalogue_t *self, uint64_t number);
uint64_t catalogue_number (const catalogue_t *self);

/*  Calls changed after each change. */
typedef void catalogue_changed_fn (void *owner);
void catalogue_on_change (catalogue_t *self, catalogue_changed_fn *changed, void *owner);

#endif
