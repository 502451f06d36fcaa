/*  flow_feed - the feeder's end: check who asks, then send what the own file has, and more as it
 *  grows, straight from the file to the connection.
 */
#include "flow_loop.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/crypto.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#define GREETING_MS  2000 /* within which a token must be shown */
#define GREETING_MAX 256  /* connections that have shown none yet */
#define FEEDS_SPARE  2    /* fed beside, while links change */
/*  In the kernel, of one connection: they are sent again when a link changes. */
#define UNSENT_BYTES (256 * 1024)

#define BYTES_PER_MEGABIT 125000

void feed_accept (flow_loop_t *self)
{
    for (;;) {
        int file = accept4 (self->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (file < 0 && (errno == EMFILE || errno == ENFILE)) /* or this thread would spin */
            flow_loop_listen (self, false);
        if (file < 0)
            return;
        int one = 1, unsent = UNSENT_BYTES;
        if (self->greeting >= GREETING_MAX ||
            setsockopt (file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0 ||
            setsockopt (file, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent) != 0) {
            close (file);
            continue;
        }
        self->greeting++;
        feed_ready (self, conn_new (self, file, CONN_GREETS, NULL));
    }
}

/*  --- who asks --- */

static flow_t *flow_by_token (const flow_loop_t *self, const flow_hello_t *hello)
{
    for (flow_t *flow = self->flows; flow; flow = flow->after)
        if (!flow->broken && memcmp (flow->id, hello->id, FLOW_ID_BYTES) == 0 &&
            CRYPTO_memcmp (flow->token, hello->token, FLOW_TOKEN_BYTES) == 0)
            return flow;
    return NULL;
}

static uint32_t fed_at_once (const flow_loop_t *self, const flow_t *flow)
{
    uint32_t count = 0;
    for (const conn_t *conn = self->conns; conn; conn = conn->after)
        count += conn->flow == flow && conn->state == CONN_FEEDS && !conn->dead;
    return count;
}

static flow_answer_t flow_feed_judge (const flow_loop_t *self, const flow_t *flow,
                                      const flow_hello_t *hello)
{
    if (!flow)
        return FLOW_NO_TRANSFER;
    if (hello->epoch < flow->epoch)
        return FLOW_OLD_EPOCH;
    return fed_at_once (self, flow) >= flow->feeds + FEEDS_SPARE ? FLOW_BUSY : FLOW_FEEDS;
}

static void pace (const conn_t *conn)
{
    uint64_t rate = (uint64_t) conn->flow->mbps * BYTES_PER_MEGABIT;
    if (rate > 0)
        setsockopt (conn->file, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof rate);
}

static void hear_hello (flow_loop_t *self, conn_t *conn)
{
    flow_hello_t hello;
    moved_t moved = conn_fill (conn, FLOW_HELLO_BYTES);
    if (moved == HUNG_UP)
        conn_end (self, conn);
    if (moved != MOVED_ALL)
        return;
    conn->in_used = 0;
    if (!flow_hello_unpack (&hello, conn->in)) {
        conn_end (self, conn);
        return;
    }
    flow_t *flow = flow_by_token (self, &hello);
    flow_reply_t reply = {.answer = flow_feed_judge (self, flow, &hello),
                          .has = flow ? flow_own (flow)->has : 0,
                          .size = flow ? flow_own (flow)->size : 0,
                          .attempt = flow ? flow->attempt : 0};
    flow_reply_pack (conn->out, &reply);
    conn->out_used = FLOW_ANSWER_BYTES;
    if (reply.answer != FLOW_FEEDS) {
        conn_flush (conn, false); /* it fits a new connection's buffer */
        conn_end (self, conn);
        return;
    }
    self->greeting--;
    conn->flow = flow;
    conn->state = CONN_CHOOSES;
    pace (conn);
}

static void hear_choice (flow_loop_t *self, conn_t *conn)
{
    moved_t moved = conn_fill (conn, FLOW_NUMBER_BYTES);
    bool ranged = moved == MOVED_ALL && number_get (conn->in, FLOW_NUMBER_BYTES) & FLOW_RANGE;
    if (ranged)
        moved = conn_fill (conn, FLOW_RANGE_BYTES);
    if (moved == HUNG_UP)
        conn_end (self, conn);
    if (moved != MOVED_ALL)
        return;
    uint64_t size = flow_own (conn->flow)->size;
    conn->in_used = 0;
    conn->offset = number_get (conn->in, FLOW_NUMBER_BYTES) & ~FLOW_RANGE;
    conn->until = ranged ? number_get (conn->in + FLOW_NUMBER_BYTES, FLOW_NUMBER_BYTES) : size;
    conn->marked = ranged ? size : 0;
    if (conn->offset > conn->until || conn->until > size) {
        conn_end (self, conn);
        return;
    }
    conn->state = CONN_FEEDS;
    conn->heard_ms = self->now_ms;
}

/*  --- bytes --- */

/*  Behind a mark that is to be sent, if there is one. */
static void head_put (conn_t *conn, uint64_t length)
{
    number_put (conn->out + conn->out_used, length, FLOW_NUMBER_BYTES);
    conn->out_used += FLOW_NUMBER_BYTES;
    conn->out_sent = 0;
    conn->frame_left = length;
}

/*  Sends the mark of the chunks before the next byte, if it is known and was not sent. False: it
 *  will be known soon. */
static bool mark_put (conn_t *conn)
{
    const flow_t *flow = flow_own (conn->flow);
    uint64_t at = conn->offset - conn->offset % FLOW_CHUNK_BYTES;
    if (at <= conn->marked)
        return true;
    if (at > flow->has || at == flow->size)
        return true;
    if (at == flow->has && flow->mark_due)
        return false;
    conn->marked = at;
    if (flow_mark_read (flow, at, conn->out + FLOW_NUMBER_BYTES)) {
        number_put (conn->out, FLOW_MARK | at, FLOW_NUMBER_BYTES);
        conn->out_used = FLOW_MARK_BYTES;
    }
    return true;
}

/*  What there is of the next chunk. */
static uint64_t body_ready (const conn_t *conn)
{
    uint64_t left = FLOW_CHUNK_BYTES - conn->offset % FLOW_CHUNK_BYTES;
    uint64_t has = flow_own (conn->flow)->has;
    has = has < conn->until ? has : conn->until;
    uint64_t ready = conn->offset < has ? has - conn->offset : 0;
    return ready < left ? ready : left;
}

/*  Is the chunk with this offset known to be bad? A frame never goes beyond its chunk. */
static bool is_bad (const flow_t *flow, uint64_t offset)
{
    flow_mark_t noted;
    return flow->salvages && flow_marks_get (flow->marks, offset + 1, &noted) && noted.bad;
}

static ssize_t zeros_send (const conn_t *conn, size_t most)
{
    static const uint8_t zeros [65536];
    return send (conn->file, zeros, most < sizeof zeros ? most : sizeof zeros, MSG_NOSIGNAL);
}

/*  False when it has to wait, or is over. */
static bool body_send (flow_loop_t *self, conn_t *conn, size_t *moved)
{
    flow_t *flow = flow_own (conn->flow);
    off_t offset = (off_t) conn->offset;
    size_t most = conn->frame_left < FLOW_TURN_BYTES ? (size_t) conn->frame_left : FLOW_TURN_BYTES;
    ssize_t sent = TEMP_FAILURE_RETRY (is_bad (flow, conn->offset)
                                         ? zeros_send (conn, most)
                                         : sendfile (conn->file, flow->file, &offset, most));
    if (sent < 0 && errno == EAGAIN) {
        conn_watch (self, conn, true);
        return false;
    }
    if (sent < 0) {
        conn_end (self, conn);
        return false;
    }
    if (sent == 0) {
        flow_break (self, flow, "its file became shorter while it was sent");
        return false;
    }
    conn->offset += (uint64_t) sent;
    conn->frame_left -= (uint64_t) sent;
    conn->flow->fed += (uint64_t) sent;
    conn->heard_ms = self->now_ms;
    *moved += (size_t) sent;
    return true;
}

void feed_more (flow_loop_t *self, conn_t *conn)
{
    size_t moved = 0;
    while (!conn->dead && conn->state == CONN_FEEDS) {
        if (conn->out_used == 0 && conn->frame_left == 0) {
            uint64_t ready = body_ready (conn);
            if (conn->offset == conn->until && conn->until < flow_own (conn->flow)->size) {
                conn->state = CONN_CHOOSES; /* the next range */
                conn_watch (self, conn, false);
                return;
            }
            if (moved >= FLOW_TURN_BYTES) {
                conn_watch (self, conn, true); /* after others */
                return;
            }
            bool known = mark_put (conn);
            if (ready > 0)
                head_put (conn, ready);
            if (!known || conn->out_used == 0) {
                conn_watch (self, conn, false);
                return;
            }
        }
        moved_t flushed = conn_flush (conn, conn->frame_left > 0);
        if (flushed == HUNG_UP)
            conn_end (self, conn);
        if (flushed != MOVED_ALL) {
            conn_watch (self, conn, true);
            return;
        }
        if (conn->frame_left > 0 && !body_send (self, conn, &moved))
            return;
    }
}

/*  A receiver sends nothing while it is fed: anything that comes is its end. */
static void hear_end (flow_loop_t *self, conn_t *conn)
{
    uint8_t unasked [64];
    ssize_t got = TEMP_FAILURE_RETRY (recv (conn->file, unasked, sizeof unasked, 0));
    if (got == 0 || (got < 0 && errno != EAGAIN))
        conn_end (self, conn);
}

void feed_ready (flow_loop_t *self, conn_t *conn)
{
    if (conn->state == CONN_GREETS)
        hear_hello (self, conn);
    if (conn->dead)
        return;
    if (conn->state == CONN_CHOOSES) {
        moved_t moved = conn_flush (conn, false);
        if (moved == HUNG_UP) {
            conn_end (self, conn);
            return;
        }
        conn_watch (self, conn, moved == MOVES_LATER);
        hear_choice (self, conn);
    } else if (conn->state == CONN_FEEDS) {
        hear_end (self, conn);
    }
    if (!conn->dead && conn->state == CONN_FEEDS)
        feed_more (self, conn);
}

void feed_tick (flow_loop_t *self, conn_t *conn)
{
    if (conn->state == CONN_GREETS) {
        if (self->now_ms - conn->since_ms > GREETING_MS)
            conn_end (self, conn);
        return;
    }
    if (conn->state != CONN_FEEDS || conn->out_used > 0 || conn->frame_left > 0)
        return;
    conn->heard_ms = self->now_ms;
    head_put (conn, 0);
    if (conn_flush (conn, false) == HUNG_UP)
        conn_end (self, conn);
}
