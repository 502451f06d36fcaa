/*  flow_file - the own file of a flow. What it has from before is read once more when it is taken
 *  up: its digest goes on from there, and what can't be read is not counted as there.
 */
#include "flow_loop.h"

#include "must.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MODE 0640

static bool failed (char why [FLOW_WHY_BYTES], const char *doing, const flow_t *flow)
{
    snprintf (why, FLOW_WHY_BYTES, "%s %.120s: %s", doing, flow->path, strerror (errno));
    return false;
}

static bool whole_open (flow_t *flow, uint64_t size, char why [FLOW_WHY_BYTES])
{
    struct stat found;
    flow->file = open (flow->path, O_RDONLY | O_CLOEXEC);
    if (flow->file < 0 || fstat (flow->file, &found) != 0)
        return failed (why, "opening", flow);
    if (!S_ISREG (found.st_mode)) {
        snprintf (why, FLOW_WHY_BYTES, "%.120s is not a plain file", flow->path);
        return false;
    }
    flow->size = flow->has = (uint64_t) found.st_size;
    if (size != FLOW_SIZE_UNKNOWN && size != flow->size) {
        snprintf (why, FLOW_WHY_BYTES, "%.120s has %llu bytes and should have %llu", flow->path,
                  (unsigned long long) flow->size, (unsigned long long) size);
        return false;
    }
    return true;
}

static bool part_open (flow_t *flow, const flow_order_t *order, char why [FLOW_WHY_BYTES])
{
    struct stat found;
    assert (order->size != FLOW_SIZE_UNKNOWN);
    flow->size = order->size;
    flow->file =
      open (flow->path, O_RDWR | O_CREAT | O_CLOEXEC | (order->anew ? O_TRUNC : 0), FILE_MODE);
    if (flow->file < 0 || fstat (flow->file, &found) != 0)
        return failed (why, "opening", flow);
    flow->look_until = (uint64_t) found.st_size;
    if (flow->look_until > flow->size) {
        flow->look_until = 0;
        if (ftruncate (flow->file, 0) != 0)
            return failed (why, "cutting", flow);
    }
    if (fallocate (flow->file, FALLOC_FL_KEEP_SIZE, 0, (off_t) flow->size) != 0 && flow->size > 0 &&
        errno != EOPNOTSUPP && errno != ENOSYS)
        return failed (why, "taking the room of", flow);
    flow->digest = must (EVP_MD_CTX_new ());
    if (EVP_DigestInit_ex (flow->digest, EVP_sha256 (), NULL) != 1) {
        snprintf (why, FLOW_WHY_BYTES, "libcrypto has no SHA-256");
        return false;
    }
    return true;
}

bool flow_file_open (flow_t *flow, const flow_order_t *order, char why [FLOW_WHY_BYTES])
{
    flow->file = -1;
    if ((size_t) snprintf (flow->path, sizeof flow->path, "%s", order->path) >= sizeof flow->path) {
        snprintf (why, FLOW_WHY_BYTES, "the path of the file is longer than %zu bytes",
                  sizeof flow->path - 1);
        return false;
    }
    flow->whole = order->whole;
    return order->whole ? whole_open (flow, order->size, why) : part_open (flow, order, why);
}

void flow_file_close (flow_t *flow)
{
    EVP_MD_CTX_free (flow->digest);
    flow->digest = NULL;
    if (flow->file >= 0)
        close (flow->file);
    flow->file = -1;
}

bool flow_file_look (flow_t *flow, uint8_t *buffer, char why [FLOW_WHY_BYTES])
{
    for (size_t done = 0; done < FLOW_TURN_BYTES && flow->has < flow->look_until;) {
        size_t most = FLOW_BUFFER_BYTES;
        if (flow->look_until - flow->has < most)
            most = (size_t) (flow->look_until - flow->has);
        ssize_t got = pread (flow->file, buffer, most, (off_t) flow->has);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) { /* what can't be read is received again */
            flow->look_until = flow->has;
            break;
        }
        EVP_DigestUpdate (flow->digest, buffer, (size_t) got);
        flow->has += (uint64_t) got;
        done += (size_t) got;
    }
    if (flow->has < flow->look_until)
        return true;
    flow->look_until = 0;
    if (ftruncate (flow->file, (off_t) flow->has) != 0)
        return failed (why, "cutting", flow);
    return true;
}

bool flow_file_write (flow_t *flow, const uint8_t *data, size_t size, char why [FLOW_WHY_BYTES])
{
    EVP_DigestUpdate (flow->digest, data, size);
    for (size_t done = 0; done < size;) {
        ssize_t put = pwrite (flow->file, data + done, size - done, (off_t) (flow->has + done));
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return failed (why, "writing", flow);
        done += (size_t) put;
    }
    flow->has += size;
    flow->received += size;
    flow->grown = true;
    return true;
}

void flow_file_digest (flow_t *flow, uint8_t digest [FLOW_DIGEST_BYTES])
{
    assert (flow->digest && flow->has == flow->size);
    unsigned size = 0;
    EVP_DigestFinal_ex (flow->digest, digest, &size);
    assert (size == FLOW_DIGEST_BYTES);
    EVP_MD_CTX_free (flow->digest);
    flow->digest = NULL;
}

void flow_break (flow_loop_t *self, flow_t *flow, const char *why)
{
    if (flow->broken)
        return;
    flow->broken = true;
    for (conn_t *conn = self->conns; conn; conn = conn->after)
        if (conn->flow == flow)
            conn_end (self, conn);
    flow->look_until = 0;
    self->tell (self->owner, &(flow_event_t){.news = FLOW_BROKEN,
                                             .flow = flow->number,
                                             .has = flow->has,
                                             .size = flow->size,
                                             .received = flow->received,
                                             .fed = flow->fed,
                                             .why = why});
}
