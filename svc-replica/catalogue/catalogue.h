/*  catalogue - the files of one site: what each is, and which of the site's storage nodes have
 *  copies of it, in which state.
 *
 *      staged   -> sound | gone            its bytes are on the way
 *      sound    -> stale | evicting        the whole file's digest was right when last looked at
 *      stale    -> evicting | gone         not there, or not what it should be
 *      evicting -> gone                    until its node says that it has dropped it
 *
 *  Everything is stored as it changes; whoever promises something promises it in the same step. A
 *  name has one content as long as the site has it: its size and digest never change. Each change
 *  has a number, so that indexes can be told what is new (publisher.h). Pure.
 */
#ifndef MUSUBI_CATALOGUE_H
#define MUSUBI_CATALOGUE_H

#include "file_place.h"
#include "service.h"

#define COPIES_MAX         64    /* of one file at one site */
#define RULE_COPIES_MAX    16    /* that a rule may ask for */
#define USED_KEEP_MS       60000 /* the time of last use is stored to this */
#define CATALOGUE_GONE_MAX 65536 /* names that are gone are remembered for the indexes */

typedef enum { COPY_STAGED, COPY_SOUND, COPY_STALE, COPY_EVICTING } copy_state_t;

typedef struct {
    char node [NAME_BYTES_MAX + 1];
    copy_state_t state;
    int64_t proved_ms; /* wall; 0 = never */
} copy_t;

typedef enum { SPREAD_SITES, SPREAD_DOMAINS } spread_t;

typedef struct {
    uint32_t copies; /* 0 = no rule */
    spread_t spread;
} replica_rule_t;

/*  Private but for reading. */
typedef struct {
    char name [FILE_NAME_BYTES_MAX + 1];
    content_t content;
    char owner [NAME_BYTES_MAX + 1];
    int64_t created_ms; /* wall, where it was put */
    bool kept;          /* never evicted to make room */
    bool pinned;
    int64_t expires_ms; /* wall; 0 = never */
    int64_t used_ms;    /* wall */
    int64_t used_stored_ms;
    bool rule_set; /* always: "none" is told and kept, too */
    replica_rule_t rule;
    copy_t *copies;
    size_t copies_count;
    uint64_t changed; /* number of its last change */
    bool gone;        /* its name alone is left, for the indexes */
} file_t;

typedef struct catalogue catalogue_t;

/*  Loads and keeps TABLE_FILES. files_max bounds the names. */
catalogue_t *catalogue_new (service_t *service, uint32_t files_max);
void catalogue_destroy (catalogue_t **self_p);

/*  NULL when the site does not have it. Valid until the next change. */
file_t *catalogue_find (const catalogue_t *self, const char *name);

/*  Ascending by name: NULL first, then the name before. */
const file_t *catalogue_after (const catalogue_t *self, const char *name);

/*  NULL when there is none; of no file, too. */
copy_t *file_copy (const file_t *file, const char *node);
uint32_t file_copies (const file_t *file, copy_state_t state);

/*  As this site tells others of it. */
file_place_t file_place (const file_t *file, const char *site);

typedef enum { CATALOGUE_OK, CATALOGUE_FULL, CATALOGUE_OTHER } catalogue_answer_t;

/*  A copy is on its way to a node. What file says counts when the name is new; CATALOGUE_OTHER
 *  when the site has it with another size or digest, CATALOGUE_FULL at files_max or COPIES_MAX. */
catalogue_answer_t catalogue_stage (catalogue_t *self, const file_t *file, const char *node);

/*  The node has proved the copy; also one that nobody here has heard of. CATALOGUE_OTHER when its
 *  size or digest is not the file's: then the copy is stale. */
catalogue_answer_t catalogue_prove (catalogue_t *self, const file_t *file, const char *node,
                                    int64_t proved_ms);

/*  The copy moves on; harmless when there is none or its state does not lead there. */
void catalogue_move (catalogue_t *self, const char *name, const char *node, copy_state_t to);
/*  It is not there any more; the file leaves with its last copy. */
void catalogue_gone (catalogue_t *self, const char *name, const char *node);

/*  Somebody needs it now. */
void catalogue_use (catalogue_t *self, const char *name, int64_t wall_ms);

void catalogue_pin (catalogue_t *self, const char *name, bool pinned);
void catalogue_keep (catalogue_t *self, const char *name, bool kept);
void catalogue_expire (catalogue_t *self, const char *name, int64_t expires_ms);
void catalogue_set_rule (catalogue_t *self, const char *name, const replica_rule_t *rule);

/*  The first change after a number, gone names too; NULL = none. */
const file_t *catalogue_changed (const catalogue_t *self, uint64_t number);

/*  False when changes since then are forgotten: then one must begin with 0, and hears of no gone
 *  names. */
bool catalogue_knows (const catalogue_t *self, uint64_t number);
uint64_t catalogue_number (const catalogue_t *self);

/*  Called after each change. */
typedef void catalogue_changed_fn (void *owner);
void catalogue_on_change (catalogue_t *self, catalogue_changed_fn *changed, void *owner);

#endif
