/*  confirm - is a request complete that its home says was committed, but not acknowledged by all
 *  (T6)?
 *
 *      all have acknowledged                 -> complete
 *      some part is lost, all is over, and
 *      either its repair has released it, or
 *      its window has passed                 -> failed (T10); never said of a release
 *      anything else                         -> open: ask again. A repair that ends tells the home
 *
 *  A part at its edge looks lost, but may still be committed; and once the window has passed
 *  nothing is left anywhere, whether it failed or not. So when nothing is left or pending, all are
 *  asked again how they ended, which does not change any more. A coordinator that was silent is not
 *  asked a second time.
 */
#ifndef MUSUBI_CONFIRM_H
#define MUSUBI_CONFIRM_H

#include "planner_settings.h"
#include "service.h"
#include "transaction.h"

typedef enum { CONFIRM_COMPLETE, CONFIRM_FAILED, CONFIRM_OPEN } confirm_verdict_t;

typedef struct confirm confirm_t;

typedef void confirm_done_fn (void *owner, const moment_t *now, confirm_verdict_t verdict);

/*  Plan and settings are borrowed for life. done is called once, never from within. */
confirm_t *confirm_new (service_t *service, const planner_settings_t *settings, const moment_t *now,
                        const plan_t *plan, confirm_done_fn *done, void *owner);
void confirm_destroy (confirm_t **self_p);

/*  Once done: the at-th participant that did not say "committed"; NULL past the last. */
const participant_ref_t *confirm_awaited (const confirm_t *self, size_t at);

#endif
