/*  pool - tries the existing stores in order of name, then new ones by number, until one can be
 *  locked. The lock of a store decides between two processes that want it, so nothing else needs
 *  a lock.
 */
#include "pool.h"

#include "clock.h"
#include "log.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOK_AGAIN_MS 50

typedef struct {
    const char *folder;
    uint64_t map_bytes;
    const uint8_t *entropy;
    int64_t wall_ms;
} pool_open_t;

/*  STORE_LOCKED = look further. */
static store_answer_t claim_one (store_t **store_p, const pool_open_t *wish, const char *name,
                                 bool is_new, char why [WHY_BYTES])
{
    char folder [STORE_PATH_BYTES];
    if (snprintf (folder, sizeof folder, "%s/%s", wish->folder, name) >= STORE_PATH_BYTES) {
        snprintf (why, WHY_BYTES, "the name of pool %.100s is too long", wish->folder);
        return STORE_ERROR;
    }
    if ((is_new && access (folder, F_OK) == 0) || store_locked (folder))
        return STORE_LOCKED;
    store_answer_t answer =
      store_open (store_p, folder, wish->map_bytes, wish->entropy, wish->wall_ms, why);
    if (answer != STORE_DAMAGED)
        return answer;
    log_line (LEVEL_ALARM, "store passed over folder=%s why=\"%s\"", folder, why);
    return STORE_LOCKED;
}

static int pool_is_store_folder (const struct dirent *entry)
{
    return entry->d_name [0] != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN);
}

static bool is_settled_by_another (const pool_open_t *wish, const char *name)
{
    char folder [STORE_PATH_BYTES];
    snprintf (folder, sizeof folder, "%s/%s", wish->folder, name);
    return store_locked (folder) && !store_served (folder);
}

/*  *awaited: one of them will be free soon. */
static store_answer_t claim_old (store_t **store_p, const pool_open_t *wish, bool *awaited,
                                 char why [WHY_BYTES])
{
    struct dirent **entries;
    store_answer_t answer = STORE_LOCKED;
    int count = scandir (wish->folder, &entries, pool_is_store_folder, alphasort);
    if (count < 0) {
        if (errno == ENOENT)
            return STORE_LOCKED; /* no pool yet: the first new store makes it */
        snprintf (why, WHY_BYTES, "cannot read %.150s: %s", wish->folder, strerror (errno));
        return STORE_ERROR;
    }
    for (int i = 0; i < count; i++) {
        if (answer == STORE_LOCKED)
            answer = claim_one (store_p, wish, entries [i]->d_name, false, why);
        *awaited = *awaited || is_settled_by_another (wish, entries [i]->d_name);
        free (entries [i]);
    }
    free (entries);
    return answer;
}

store_answer_t pool_claim (store_t **store_p, const char *pool, uint64_t map_bytes,
                           const uint8_t entropy [STORE_ID_BYTES], int64_t wall_ms,
                           char why [WHY_BYTES])
{
    pool_open_t wish = {
      .folder = pool, .map_bytes = map_bytes, .entropy = entropy, .wall_ms = wall_ms};
    const struct timespec pause = {.tv_nsec = LOOK_AGAIN_MS * 1000000L};
    int64_t until_ms = clock_ms (CLOCK_MONOTONIC) + POOL_WAIT_MS;
    bool awaited = false;
    store_answer_t answer = claim_old (store_p, &wish, &awaited, why);
    while (answer == STORE_LOCKED && awaited && clock_ms (CLOCK_MONOTONIC) < until_ms) {
        nanosleep (&pause, NULL);
        awaited = false;
        answer = claim_old (store_p, &wish, &awaited, why);
    }
    for (unsigned number = 1; answer == STORE_LOCKED && number <= POOL_STORES_MAX; number++) {
        char name [16];
        snprintf (name, sizeof name, "%04u", number);
        answer = claim_one (store_p, &wish, name, true, why);
    }
    if (answer == STORE_LOCKED)
        snprintf (why, WHY_BYTES, "all %d stores of %.150s are served or damaged", POOL_STORES_MAX,
                  pool);
    if (answer == STORE_OK)
        store_serve (*store_p);
    return answer;
}
