/*  confirm - a home says that a request was committed, but not that all have acknowledged (T6): is
 *  it complete?
 *
 *      complete                              -> complete
 *      some part is gone, all is over, and
 *      either its repair has released it, or
 *      its window has passed                 -> failed (T10); never said of a release
 *      anything else                         -> open: ask again. A repair that has come to its end
 *                                               has told the home
 *
 *  A part at its edge looks gone, and may still be committed; and of a reservation whose window has
 *  passed nothing is left anywhere, failed or not. So once nothing is left and nothing pending, all
 *  are asked again how they ended: that does not change any more. A coordinator that was silent is
 *  not waited for a second time.
 */
#ifndef MUSUBI_CONFIRM_H
#define MUSUBI_CONFIRM_H

#include "planner_settings.h"
#include "service.h"
#include "transaction.h"

typedef enum { CONFIRM_COMPLETE, CONFIRM_FAILED, CONFIRM_OPEN } confirm_verdict_t;

typedef struct confirm confirm_t;

typedef void confirm_done_fn (void *owner, const moment_t *now, confirm_verdict_t verdict);

/*  The plan is borrowed for life, like the settings. done is called once, never from within. */
confirm_t *confirm_new (service_t *service, const planner_settings_t *settings, const moment_t *now,
                        const plan_t *plan, confirm_done_fn *done, void *owner);
void confirm_destroy (confirm_t **self_p);

/*  Once done: the at-th participant that did not say "committed"; NULL past the last. */
const participant_ref_t *confirm_awaited (const confirm_t *self, size_t at);

#endif
