/*  free_profile - what is known to be free of one resource over time: nodes of a class, bandwidth
 *  of a link.
 *
 *  Either a profile over the whole frame of a request, corrected by what refusals tell; or, where
 *  only windows are disclosed, the windows that were asked about. Nothing is free where nothing is
 *  known. Profiles are short, so they are kept as sorted steps and patched by rebuilding them.
 */
#ifndef MUSUBI_FREE_PROFILE_H
#define MUSUBI_FREE_PROFILE_H

#include "transaction.h"

/*  A quantity over a time: a window that was asked about, with the quantity that fits (0: what was
 *  asked for does not fit); or what a need takes. */
typedef struct {
    int64_t from_ms;
    int64_t until_ms;
    int64_t quantity;
} window_t;

/*  Owns its lists: free_profile_clear. */
typedef struct free_profile {
    profile_step_t *steps; /* nothing is free outside [steps [0].from_ms, until_ms) */
    size_t steps_count;
    int64_t until_ms;
    window_t *windows; /* instead of steps where windows only are disclosed */
    size_t windows_count;
} free_profile_t;

void free_profile_clear (free_profile_t *self);

/*  Replaces what was known by an answer over the whole frame. */
void free_profile_set (free_profile_t *self, const profile_t *profile);

/*  Adds a window. */
void free_profile_window (free_profile_t *self, window_t window);

/*  Corrects what was known by something newer about part of the frame, such as a refusal tells. */
void free_profile_patch (free_profile_t *self, const profile_t *fresh);

/*  Notes that somewhere in the interval less than wanted is free, when that is all we were told. */
void free_profile_deny (free_profile_t *self, int64_t from_ms, int64_t until_ms, int64_t wanted);

/*  Notes that so much less is free than was told; windows stay as they are. */
void free_profile_take (free_profile_t *self, window_t taken);

/*  Least free over a non-empty interval; 0 where nothing is known. */
int64_t free_profile_least (const free_profile_t *self, int64_t from_ms, int64_t until_ms);

/*  The same with others who take part of it: the least of what they leave. */
#define FREE_PROFILE_OTHERS_MAX 64
int64_t free_profile_least_beside (const free_profile_t *self, int64_t from_ms, int64_t until_ms,
                                   const window_t *others, size_t others_count);

/*  The booked share of a capacity over the time that is known, in millionths. */
int64_t free_profile_utilisation (const free_profile_t *self, int64_t capacity);

#endif
