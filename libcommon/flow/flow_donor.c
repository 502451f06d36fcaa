/*  flow_donor - an older file of the same content, or the own one, some chunks of which are bad:
 *  those that its checks (flow_marks.h) confirm are taken from it, and only the others are
 *  received.
 *
 *  Whatever is taken or received must lead to the marks of the donor. If it does not, the donor is
 *  used no more, and the rest is received as without one. The digest of the whole decides as
 *  always.
 */
#include "flow_loop.h"

#include "must.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool takes_begin (flow_t *flow)
{
    flow->takes = flow->donor >= 0 && flow->donor_marks >= 0;
    if (!flow->takes)
        flow_donor_end (flow);
    return flow->takes;
}

void flow_donor_open (flow_t *flow, const flow_order_t *order)
{
    flow->needs = flow->size;
    if (!order->donor)
        return;
    flow->donor = open (order->donor, O_RDONLY | O_CLOEXEC);
    flow->donor_marks = flow_marks_open (order->marks, O_RDONLY);
    takes_begin (flow);
}

bool flow_donor_own (flow_t *flow)
{
    flow->donor = fcntl (flow->file, F_DUPFD_CLOEXEC, 0);
    flow->donor_marks = fcntl (flow->marks, F_DUPFD_CLOEXEC, 0);
    return takes_begin (flow);
}

void flow_donor_end (flow_t *flow)
{
    descriptor_close (&flow->donor);
    descriptor_close (&flow->donor_marks);
    flow->takes = false;
    flow->needs = flow->size;
}

bool flow_donor_agrees (const flow_t *flow)
{
    flow_mark_t noted;
    return flow_marks_get (flow->donor_marks, flow->has, &noted) &&
           memcmp (noted.mark, flow->mark.mark, FLOW_DIGEST_BYTES) == 0;
}

static uint64_t chunk_end (const flow_t *flow, uint64_t from)
{
    return flow->size - from < FLOW_CHUNK_BYTES ? flow->size : from + FLOW_CHUNK_BYTES;
}

/*  The next chunk, if it is right. */
static bool donor_read (const flow_t *flow, uint64_t end, uint8_t *chunk)
{
    flow_mark_t noted;
    ssize_t size = (ssize_t) (end - flow->has);
    return flow_marks_get (flow->donor_marks, end, &noted) && !noted.bad &&
           pread (flow->donor, chunk, (size_t) size, (off_t) flow->has) == size &&
           XXH3_64bits (chunk, (size_t) size) == noted.check;
}

/*  Where the bad chunks end that begin here. */
static void needs_find (flow_t *flow)
{
    flow_mark_t noted = {.bad = true};
    flow->takes = false;
    for (flow->needs = flow->has; flow->needs < flow->size && noted.bad;) {
        flow->needs = chunk_end (flow, flow->needs);
        noted.bad =
          flow->needs < flow->size &&
          (!flow_marks_get (flow->donor_marks, chunk_end (flow, flow->needs), &noted) || noted.bad);
    }
}

bool flow_donor_take (flow_t *flow, char why [WHY_BYTES])
{
    uint8_t *chunk = must (malloc (FLOW_CHUNK_BYTES));
    uint64_t received = flow->received;
    bool good = true;
    for (uint64_t done = 0; good && flow->takes && done < FLOW_TURN_BYTES;
         done += FLOW_CHUNK_BYTES) {
        uint64_t end = chunk_end (flow, flow->has);
        if (flow->has == flow->size || !donor_read (flow, end, chunk)) {
            needs_find (flow);
            break;
        }
        good = flow_file_write (flow, chunk, (size_t) (end - flow->has), why);
        if (good && flow_donor_agrees (flow)) {
            flow_mark_sure (flow);
        } else if (good) {
            flow_donor_end (flow);
            good = flow_file_back (flow, false, why);
        }
    }
    flow->received = received;
    free (chunk);
    return good;
}
