/*  flow_link - the receiver's end: dial, show the token, choose where to begin, receive.
 *
 *  A feeder is reported as silent only if this thread was awake meanwhile: if it was stopped
 *  itself, it has heard nothing from anybody (flow_loop.c allows for that time).
 */
#include "flow_loop.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/*  Feeders from which the end of a file is tried, when it does not lead to the file's digest: the
 *  nearest ones may all have it from one that has it wrong. */
#define ENDS_WRONG_MAX 4

static void link_fail (flow_loop_t *self, conn_t *conn, bool refused, const char *why)
{
    if (conn->dead)
        return;
    conn_end (self, conn);
    flow_tell (
      self, conn->flow,
      (flow_event_t){.news = FLOW_FAILED, .link = conn->link, .refused = refused, .why = why});
}

static int flow_link_dial (const char *endpoint)
{
    char host [FLOW_HOST_BYTES], port [FLOW_PORT_BYTES];
    struct addrinfo wish = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                            .ai_socktype = SOCK_STREAM};
    struct addrinfo *to = NULL;
    if (!flow_endpoint_split (endpoint, host, port) || getaddrinfo (host, port, &wish, &to) != 0) {
        errno = EINVAL;
        return -1;
    }
    int file = socket (to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int one = 1;
    bool dialled = file >= 0 &&
                   setsockopt (file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0 &&
                   (connect (file, to->ai_addr, to->ai_addrlen) == 0 || errno == EINPROGRESS);
    int error = errno;
    freeaddrinfo (to);
    if (!dialled && file >= 0) {
        close (file);
        file = -1;
    }
    errno = error;
    return file;
}

void link_dial (flow_loop_t *self, flow_t *flow, uint64_t link, const char *endpoint)
{
    int file = flow_link_dial (endpoint);
    if (file < 0) {
        flow_tell (self, flow,
                   (flow_event_t){.news = FLOW_FAILED, .link = link, .why = strerror (errno)});
        return;
    }
    conn_t *conn = conn_new (self, file, CONN_DIALS, flow);
    conn->link = link;
    conn_watch (self, conn, true);
}

static void say_hello (flow_loop_t *self, conn_t *conn)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt (conn->file, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) {
        link_fail (self, conn, false, strerror (error != 0 ? error : errno));
        return;
    }
    flow_hello_t hello = {.epoch = conn->flow->epoch};
    memcpy (hello.id, conn->flow->id, FLOW_ID_BYTES);
    memcpy (hello.token, conn->flow->token, FLOW_TOKEN_BYTES);
    flow_hello_pack (conn->out, &hello);
    conn->out_used = FLOW_HELLO_BYTES;
    conn->state = CONN_ASKS;
}

static void hear_answer (flow_loop_t *self, conn_t *conn)
{
    flow_reply_t reply;
    moved_t moved = conn_fill (conn, FLOW_ANSWER_BYTES);
    if (moved == HUNG_UP)
        link_fail (self, conn, false, "the feeder hung up before it answered");
    if (moved != MOVED_ALL)
        return;
    conn->in_used = 0;
    conn->heard_ms = self->now_ms;
    if (!flow_reply_unpack (&reply, conn->in)) {
        link_fail (self, conn, true, "the feeder does not speak MUSUBI/2");
        return;
    }
    if (reply.answer != FLOW_FEEDS) {
        link_fail (self, conn, true, flow_answer_word (reply.answer));
        return;
    }
    if (reply.size != conn->flow->size) {
        link_fail (self, conn, true, "the feeder's file has another size");
        return;
    }
    if (reply.attempt != FLOW_PROVED && reply.attempt != conn->flow->attempt) {
        link_fail (self, conn, true, "the feeder's bytes belong to another attempt");
        return;
    }
    conn->state = CONN_LINKED;
    flow_tell (self, conn->flow,
               (flow_event_t){.news = FLOW_LINKED, .link = conn->link, .peer_has = reply.has});
}

/*  --- bytes --- */

void flow_whole (flow_loop_t *self, flow_t *flow)
{
    uint8_t digest [FLOW_DIGEST_BYTES];
    if (!flow->digest || flow->has < flow->size || flow->look_until > 0 || flow->broken)
        return;
    conns_end (self, flow, CONN_DIALS);
    flow_file_digest (flow, digest);
    flow_tell (self, flow, (flow_event_t){.news = FLOW_WHOLE, .digest = digest});
}

/*  Drops bytes that are not right. Receivers that were fed with them ask again, from where they
 *  stand. */
static void let_go (flow_loop_t *self, conn_t *conn, bool all, bool wrong, const char *why)
{
    flow_t *flow = conn->flow;
    char failed [WHY_BYTES];
    if (!flow_file_back (flow, all, failed)) {
        flow_break (self, flow, failed);
        return;
    }
    for (conn_t *fed = self->conns; fed; fed = fed->after)
        if (fed->state == CONN_FEEDS && flow_own (fed->flow) == flow &&
            fed->offset + fed->frame_left > flow->has)
            conn_end (self, fed);
    conn_end (self, conn);
    flow_tell (self, flow,
               (flow_event_t){.news = FLOW_FAILED, .link = conn->link, .wrong = wrong, .why = why});
}

/*  The bytes since the last right mark are wrong. They are the feeder's fault only if all of them
 *  came from it. */
static void chunk_wrong (flow_loop_t *self, conn_t *conn)
{
    char why [WHY_BYTES];
    const flow_t *flow = conn->flow;
    bool its_own = conn->offset <= flow->sure_bytes;
    snprintf (why, sizeof why, "bytes %llu to %llu do not match %s",
              (unsigned long long) flow->sure_bytes, (unsigned long long) flow->has,
              flow->has == flow->size ? "the file's digest" : "its mark");
    let_go (self, conn, false, its_own, why);
}

static void hear_mark (flow_loop_t *self, conn_t *conn, uint64_t at,
                       const uint8_t mark [FLOW_DIGEST_BYTES])
{
    flow_t *flow = conn->flow;
    uint8_t own [FLOW_DIGEST_BYTES];
    bool end = at == flow->has, begin = at == conn->offset - conn->offset % FLOW_CHUNK_BYTES;
    if (conn->begun ? !end : !begin) {
        link_fail (self, conn, true, "the feeder sent a mark where none belongs");
        return;
    }
    if (end && flow->mark_due)
        memcpy (own, flow->mark.mark, sizeof own);
    else if (!flow_mark_read (flow, at, own))
        return;
    if (memcmp (mark, own, sizeof own) == 0) {
        if (end)
            flow_mark_sure (flow);
        return;
    }
    if (conn->begun || (end && flow->mark_due)) {
        chunk_wrong (self, conn);
        return;
    }
    if (at > flow->sure_bytes) { /* nobody has vouched for what came last */
        let_go (self, conn, false, false, "the feeder's bytes differ from those received last");
        return;
    }
    /*  The bytes here and the feeder's differ, and which are right is not known: the digest of
     *  the whole will tell. The feeder is believed once; otherwise a file with wrong bytes could
     *  never be put right. */
    bool before = flow->doubted;
    flow->doubted = true;
    if (before)
        link_fail (self, conn, true, "the feeder's bytes differ from those here");
    else
        let_go (self, conn, true, false, "the feeder's bytes differ from those here");
}

/*  A frame's head, of which some bytes may have come before; returns how many were taken. */
static size_t head_take (flow_loop_t *self, conn_t *conn, const uint8_t *data, size_t size)
{
    bool marks = conn->in_used >= FLOW_NUMBER_BYTES;
    size_t taken = (marks ? FLOW_MARK_BYTES : FLOW_NUMBER_BYTES) - conn->in_used;
    taken = taken < size ? taken : size;
    memcpy (conn->in + conn->in_used, data, taken);
    conn->in_used += taken;
    if (conn->in_used < FLOW_NUMBER_BYTES)
        return taken;
    uint64_t number = number_get (conn->in, FLOW_NUMBER_BYTES);
    if (number & FLOW_MARK) {
        if (conn->in_used == FLOW_MARK_BYTES) {
            conn->in_used = 0;
            hear_mark (self, conn, number & ~FLOW_MARK, conn->in + FLOW_NUMBER_BYTES);
        }
        return taken;
    }
    flow_mark_note (conn->flow); /* it has no mark for that */
    conn->frame_left = number;
    conn->in_used = 0;
    conn->begun = conn->begun || number > 0;
    return taken;
}

/*  What came of a range must lead to the marks of the donor; then the donor may go on. */
static void range_came (flow_loop_t *self, conn_t *conn)
{
    flow_t *flow = conn->flow;
    if (flow->mark_due && !flow_donor_agrees (flow)) {
        flow_donor_end (flow);
        let_go (self, conn, false, false, "the bytes do not fit to those that are here");
        return;
    }
    if (flow->mark_due)
        flow_mark_sure (flow);
    if (flow->has < conn->until)
        return;
    conn->state = CONN_LINKED;
    flow->takes = true;
    self->looking++;
}

static void flow_link_take_in (flow_loop_t *self, conn_t *conn, const uint8_t *data, size_t size)
{
    flow_t *flow = conn->flow;
    char why [WHY_BYTES];
    while (size > 0 && !conn->dead && conn->state == CONN_RECEIVES) {
        if (conn->frame_left == 0) {
            size_t taken = head_take (self, conn, data, size);
            data += taken;
            size -= taken;
            if (conn->frame_left > flow->size - flow->has) {
                link_fail (self, conn, true, "the feeder sends more bytes than the file has");
                return;
            }
            continue;
        }
        size_t piece = conn->frame_left < size ? (size_t) conn->frame_left : size;
        if (!flow_file_write (flow, data, piece, why)) {
            flow_break (self, flow, why);
            return;
        }
        conn->frame_left -= piece;
        data += piece;
        size -= piece;
        if (conn->until < flow->size) {
            range_came (self, conn);
        } else if (flow_file_wrong (flow) && flow->sure_bytes > 0 &&
                   flow->ends_wrong < ENDS_WRONG_MAX) {
            flow->ends_wrong++;
            chunk_wrong (self, conn);
        }
    }
}

static void flow_link_receive (flow_loop_t *self, conn_t *conn)
{
    flow_t *flow = conn->flow;
    for (size_t moved = 0; moved < FLOW_TURN_BYTES && !conn->dead;) {
        ssize_t got = TEMP_FAILURE_RETRY (recv (conn->file, self->buffer, FLOW_BUFFER_BYTES, 0));
        if (got < 0 && errno == EAGAIN)
            break;
        if (got <= 0) {
            link_fail (self, conn, false, got == 0 ? "the feeder hung up" : strerror (errno));
            break;
        }
        conn->heard_ms = self->now_ms;
        conn->silent_ms = 0;
        flow_link_take_in (self, conn, self->buffer, (size_t) got);
        moved += (size_t) got;
        if (got < FLOW_BUFFER_BYTES / 4)
            break; /* there is hardly more */
    }
    flow_whole (self, flow);
}

void link_go (flow_loop_t *self, flow_t *flow, conn_t *conn)
{
    if (flow->look_until > 0 || !flow->digest || conn->state != CONN_LINKED)
        return;
    flow->link = conn->link;
    for (conn_t *other = self->conns; other; other = other->after) {
        if (other->flow != flow || other->state != CONN_RECEIVES || other->dead)
            continue;
        flow_link_receive (self, other); /* what has come need not come again */
        conn_end (self, other);
    }
    if (flow->broken || !flow->digest || flow->takes)
        return;
    bool ranged = flow->needs < flow->size;
    number_put (conn->out, flow->has | (ranged ? FLOW_RANGE : 0), FLOW_NUMBER_BYTES);
    number_put (conn->out + FLOW_NUMBER_BYTES, flow->needs, FLOW_NUMBER_BYTES);
    conn->out_used = ranged ? FLOW_RANGE_BYTES : FLOW_NUMBER_BYTES;
    conn->out_sent = 0;
    conn->in_used = 0;
    conn->state = CONN_RECEIVES;
    conn->begun = false;
    conn->offset = flow->has;
    conn->until = flow->needs;
    conn->heard_ms = self->now_ms;
    link_ready (self, conn);
}

void link_ask (flow_loop_t *self, flow_t *flow)
{
    conn_t *conn = self->conns;
    while (conn && (conn->flow != flow || conn->link != flow->link || conn->dead))
        conn = conn->after;
    if (conn && flow->link != 0 && flow->has < flow->size)
        link_go (self, flow, conn);
}

void link_ready (flow_loop_t *self, conn_t *conn)
{
    if (conn->state == CONN_DIALS)
        say_hello (self, conn);
    if (conn->dead)
        return;
    moved_t moved = conn_flush (conn, false);
    conn_watch (self, conn, moved == MOVES_LATER);
    if (moved == HUNG_UP ||
        (conn->state == CONN_LINKED && conn_fill (conn, FLOW_NUMBER_BYTES) == HUNG_UP))
        link_fail (self, conn, false, "the feeder hung up");
    else if (conn->state == CONN_ASKS)
        hear_answer (self, conn);
    else if (conn->state == CONN_RECEIVES)
        flow_link_receive (self, conn);
}

void link_tick (flow_loop_t *self, conn_t *conn)
{
    if (conn->state != CONN_RECEIVES || self->now_ms - conn->heard_ms < FLOW_SILENT_MS)
        return;
    if (conn->silent_ms != 0 && self->now_ms - conn->silent_ms < FLOW_SILENT_MS)
        return;
    conn->silent_ms = self->now_ms;
    flow_tell (self, conn->flow, (flow_event_t){.news = FLOW_SILENT, .link = conn->link});
}
