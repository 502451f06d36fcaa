/*  flow_file - the own file of a flow. While it is written, its digest so far is noted after each
 *  chunk and at the end, in a file beside it (flow_marks.h). Such a mark is the digest of a prefix,
 *  so that one hash serves for all marks and for the whole. It is noted once the feeder has sent
 *  the same mark, or has sent none.
 *
 *  A file that is resumed is read again first, so that its digest can go on. Only bytes that its
 *  marks confirm count as present; the rest is received again.
 */
#include "flow_loop.h"

#include "codec.h"
#include "must.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MODE 0640

static bool flow_file_failed (char why [WHY_BYTES], const char *doing, const flow_t *flow)
{
    return wrong (why, "%s %.120s: %s", doing, flow->path, strerror (errno));
}

static bool whole_open (flow_t *flow, uint64_t size, const char *marks, char why [WHY_BYTES])
{
    struct stat found;
    flow->file = open (flow->path, O_RDONLY | O_CLOEXEC);
    if (flow->file < 0 || fstat (flow->file, &found) != 0)
        return flow_file_failed (why, "opening", flow);
    if (!S_ISREG (found.st_mode))
        return wrong (why, "%.120s is not a plain file", flow->path);
    flow->size = flow->has = (uint64_t) found.st_size;
    if (marks) /* without them it feeds as well */
        flow->marks = flow_marks_open (marks, O_RDONLY);
    if (size != FLOW_SIZE_UNKNOWN && size != flow->size)
        return wrong (why, "%.120s has %llu bytes and should have %llu", flow->path,
                      (unsigned long long) flow->size, (unsigned long long) size);
    return true;
}

static bool flow_file_room_take (const flow_t *flow, char why [WHY_BYTES])
{
    return flow->size == 0 ||
           fallocate (flow->file, FALLOC_FL_KEEP_SIZE, 0, (off_t) flow->size) == 0 ||
           errno == EOPNOTSUPP || errno == ENOSYS ||
           flow_file_failed (why, "reserving disk space for", flow);
}

/*  Only this process writes the file: a new one is created exclusively, and one that is resumed
 *  must be our own plain file. Links are not followed. */
static int own_open (const char *path, bool anew)
{
    struct stat found;
    if (anew && unlink (path) != 0 && errno != ENOENT)
        return -1;
    int file =
      open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (anew ? O_EXCL : 0), FILE_MODE);
    if (file < 0 || (fstat (file, &found) == 0 && S_ISREG (found.st_mode) && found.st_nlink == 1 &&
                     found.st_uid == geteuid ()))
        return file;
    close (file);
    errno = EEXIST;
    return -1;
}

static bool marks_open (flow_t *flow, bool anew, char why [WHY_BYTES])
{
    char path [FLOW_PATH_BYTES + sizeof FLOW_MARKS];
    snprintf (path, sizeof path, "%s" FLOW_MARKS, flow->path);
    flow->marks = own_open (path, anew);
    return (flow->marks >= 0 &&
            (flow_marks_right (flow->marks) || flow_marks_begin (flow->marks))) ||
           flow_file_failed (why, "opening the marks of", flow);
}

static bool part_open (flow_t *flow, const flow_order_t *order, char why [WHY_BYTES])
{
    struct stat found;
    assert (order->size != FLOW_SIZE_UNKNOWN);
    flow->size = order->size;
    flow->file = own_open (flow->path, order->anew);
    if (flow->file < 0 || fstat (flow->file, &found) != 0)
        return flow_file_failed (why, "opening", flow);
    flow->look_until = (uint64_t) found.st_size;
    if (flow->look_until > flow->size) {
        flow->look_until = 0;
        if (ftruncate (flow->file, 0) != 0)
            return flow_file_failed (why, "cutting", flow);
    }
    if (!flow_file_room_take (flow, why) || !marks_open (flow, order->anew, why))
        return false;
    flow->digest = must (EVP_MD_CTX_new ());
    flow->sure = must (EVP_MD_CTX_new ());
    flow->check = must (XXH3_createState ());
    if (EVP_DigestInit_ex (flow->digest, EVP_sha256 (), NULL) != 1 ||
        EVP_MD_CTX_copy_ex (flow->sure, flow->digest) != 1)
        return wrong (why, "libcrypto has no SHA-256");
    flow_donor_open (flow, order);
    return true;
}

bool flow_file_open (flow_t *flow, const flow_order_t *order, char why [WHY_BYTES])
{
    if ((size_t) snprintf (flow->path, sizeof flow->path, "%s", order->path) >= sizeof flow->path)
        return wrong (why, "the path of the file is longer than %zu bytes", sizeof flow->path - 1);
    flow->whole = order->whole;
    flow->salvages = order->salvages;
    return order->whole ? whole_open (flow, order->size, order->marks, why)
                        : part_open (flow, order, why);
}

void flow_file_close (flow_t *flow)
{
    EVP_MD_CTX_free (flow->digest);
    EVP_MD_CTX_free (flow->sure);
    XXH3_freeState (flow->check);
    flow->digest = flow->sure = NULL;
    flow->check = NULL;
    flow_donor_end (flow);
    descriptor_close (&flow->file);
    descriptor_close (&flow->marks);
}

bool flow_file_inherit (flow_t *flow, char why [WHY_BYTES])
{
    const flow_t *from = flow->follows;
    flow->follows = NULL;
    snprintf (why, WHY_BYTES, "the file that it followed was given up");
    if (from->broken || from->attempt != FLOW_PROVED || from->has < from->size)
        return false;
    memcpy (flow->path, from->path, sizeof flow->path);
    flow->size = flow->has = from->size;
    flow->whole = true;
    flow->file = fcntl (from->file, F_DUPFD_CLOEXEC, 0);
    if (from->marks >= 0)
        flow->marks = fcntl (from->marks, F_DUPFD_CLOEXEC, 0);
    return flow->file >= 0 || flow_file_failed (why, "sharing", flow);
}

/*  --- marks --- */

static uint64_t to_next_mark (const flow_t *flow)
{
    uint64_t left = FLOW_CHUNK_BYTES - flow->has % FLOW_CHUNK_BYTES;
    return left < flow->size - flow->has ? left : flow->size - flow->has;
}

static bool at_mark (const flow_t *flow)
{
    return flow->has > 0 && (flow->has % FLOW_CHUNK_BYTES == 0 || flow->has == flow->size);
}

bool flow_mark_read (const flow_t *flow, uint64_t at, uint8_t mark [FLOW_DIGEST_BYTES])
{
    flow_mark_t noted;
    if (flow->salvages || !flow_marks_get (flow->marks, at, &noted))
        return false;
    memcpy (mark, noted.mark, FLOW_DIGEST_BYTES);
    return true;
}

/*  The digest so far; the running one is not ended. */
static void mark_take (const flow_t *flow, uint8_t mark [FLOW_DIGEST_BYTES])
{
    unsigned size = 0;
    EVP_MD_CTX *now = must (EVP_MD_CTX_new ());
    EVP_MD_CTX_copy_ex (now, flow->digest);
    EVP_DigestFinal_ex (now, mark, &size);
    EVP_MD_CTX_free (now);
}

/*  A mark that can't be written is missing after a restart, and its bytes are received again. */
void flow_mark_note (flow_t *flow)
{
    if (!flow->mark_due)
        return;
    flow->mark_due = false;
    flow->grown = true; /* receivers may have it now */
    if (flow->marks >= 0 && !flow_marks_put (flow->marks, flow->has, &flow->mark))
        descriptor_close (&flow->marks);
}

void flow_mark_sure (flow_t *flow)
{
    flow_mark_note (flow);
    EVP_MD_CTX_copy_ex (flow->sure, flow->digest);
    flow->sure_bytes = flow->has;
}

/*  Do the bytes so far match their mark? */
static bool mark_right (flow_t *flow)
{
    uint8_t mark [FLOW_DIGEST_BYTES], noted [FLOW_DIGEST_BYTES];
    mark_take (flow, mark);
    if (!flow_mark_read (flow, flow->has, noted) || memcmp (mark, noted, sizeof mark) != 0)
        return false;
    flow_mark_sure (flow);
    return true;
}

/*  Drops the bytes that no right mark confirms. */
static bool look_end (flow_t *flow, char why [WHY_BYTES])
{
    flow->look_until = 0;
    flow->has = flow->sure_bytes;
    EVP_MD_CTX_copy_ex (flow->digest, flow->sure);
    if (ftruncate (flow->file, (off_t) flow->has) != 0)
        return flow_file_failed (why, "cutting", flow);
    return flow_file_room_take (flow, why);
}

/*  A chunk is bad. If others follow, the file becomes its own donor, and only the bad ones are
 *  received again. */
static bool look_damaged (flow_t *flow, char why [WHY_BYTES])
{
    if (flow->donor >= 0 || flow->has == flow->look_until || !flow_donor_own (flow))
        return look_end (flow, why);
    flow->look_until = 0;
    flow->has = flow->sure_bytes;
    EVP_MD_CTX_copy_ex (flow->digest, flow->sure);
    return true;
}

bool flow_file_look (flow_t *flow, uint8_t *buffer, char why [WHY_BYTES])
{
    for (size_t done = 0; done < FLOW_TURN_BYTES && flow->has < flow->look_until;) {
        uint64_t most = to_next_mark (flow), left = flow->look_until - flow->has;
        most = most < left ? most : left;
        most = most < FLOW_BUFFER_BYTES ? most : FLOW_BUFFER_BYTES;
        ssize_t got =
          TEMP_FAILURE_RETRY (pread (flow->file, buffer, (size_t) most, (off_t) flow->has));
        if (got <= 0) /* what can't be read is received again */
            return look_end (flow, why);
        EVP_DigestUpdate (flow->digest, buffer, (size_t) got);
        flow->has += (uint64_t) got;
        done += (size_t) got;
        if (at_mark (flow) && !mark_right (flow))
            return look_damaged (flow, why);
    }
    return flow->has < flow->look_until || look_end (flow, why);
}

static bool piece_write (flow_t *flow, const uint8_t *data, size_t size, char why [WHY_BYTES])
{
    EVP_DigestUpdate (flow->digest, data, size);
    if (flow->has % FLOW_CHUNK_BYTES == 0)
        XXH3_64bits_reset (flow->check);
    XXH3_64bits_update (flow->check, data, size);
    for (size_t done = 0; done < size;) {
        ssize_t put = TEMP_FAILURE_RETRY (
          pwrite (flow->file, data + done, size - done, (off_t) (flow->has + done)));
        if (put < 0)
            return flow_file_failed (why, "writing", flow);
        done += (size_t) put;
    }
    flow->has += size;
    flow->received += size;
    flow->grown = true;
    flow->mark_due = at_mark (flow);
    if (flow->mark_due) {
        mark_take (flow, flow->mark.mark);
        flow->mark.check = XXH3_64bits_digest (flow->check);
    }
    return true;
}

bool flow_file_write (flow_t *flow, const uint8_t *data, size_t size, char why [WHY_BYTES])
{
    assert (size <= flow->size - flow->has);
    while (size > 0) {
        uint64_t most = to_next_mark (flow);
        size_t piece = size < most ? size : (size_t) most;
        if (!piece_write (flow, data, piece, why))
            return false;
        data += piece;
        size -= piece;
    }
    return true;
}

bool flow_file_back (flow_t *flow, bool all, char why [WHY_BYTES])
{
    if (all) {
        flow->sure_bytes = 0;
        EVP_DigestInit_ex (flow->sure, EVP_sha256 (), NULL);
    }
    flow->mark_due = false;
    return look_end (flow, why);
}

bool flow_file_wrong (const flow_t *flow)
{
    return flow->has == flow->size && flow->mark_due && flow->expects &&
           memcmp (flow->mark.mark, flow->expected, FLOW_DIGEST_BYTES) != 0;
}

void flow_file_digest (flow_t *flow, uint8_t digest [FLOW_DIGEST_BYTES])
{
    assert (flow->digest && flow->has == flow->size);
    unsigned size = 0;
    flow_mark_note (flow);
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
    conns_end (self, flow, CONN_GREETS);
    flow->look_until = 0;
    flow_tell (self, flow, (flow_event_t){.news = FLOW_BROKEN, .why = why});
    for (flow_t *other = self->flows; other; other = other->after)
        if (other->follows == flow)
            flow_break (self, other, why);
}
