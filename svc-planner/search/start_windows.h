/*  start_windows - the starts at which one option of a need fits alone, and the starts at which
 *  something becomes free for it. Both are worked out once, in one pass over the free profile, and
 *  then walked through with ascending starts.
 */
#ifndef MUSUBI_START_WINDOWS_H
#define MUSUBI_START_WINDOWS_H

#include "free_profile.h"

/*  Start times [from, until], both ends included. */
typedef struct {
    int64_t from_ms;
    int64_t until_ms;
} start_window_t;

/*  Owns its lists: start_windows_clear. */
typedef struct {
    start_window_t *spans; /* ascending */
    size_t spans_count;
    size_t spans_room;
    size_t span_at;   /* the first span that has not passed */
    int64_t *changes; /* starts worth a look, ascending */
    size_t changes_count;
    size_t changes_room;
    size_t change_at;
} start_windows_t;

/*  A need at a place: how much it takes, from when on (counted from the start), and for how
 *  long. */
typedef struct {
    int64_t offset_ms;
    int64_t length_ms; /* cleaning included */
    int64_t quantity;
} stay_t;

void start_windows_clear (start_windows_t *self);

/*  Adds the part of a span that lies within. */
void start_windows_add (start_windows_t *self, start_window_t span, start_window_t within);

/*  Adds all starts within at which the stay fits. */
void start_windows_fill (start_windows_t *self, const free_profile_t *free_profile,
                         const stay_t *stay, start_window_t within);

/*  Adds the beginnings of all spans to the changes; with rises, also the starts at which the
 *  profile rises, if there are any spans. */
void start_windows_find_changes (start_windows_t *self, const free_profile_t *free_profile,
                                 const stay_t *stay, start_window_t within, bool rises);

/*  The first change not passed; INT64_MAX when there is none. */
int64_t start_windows_next_change (const start_windows_t *self);

/*  Passes everything up to this start. Does the option fit there? */
bool start_windows_pass (start_windows_t *self, int64_t start_ms);

#endif
