/*  storage_reports - the transfers that the site wants of this node, and how each stands.
 *
 *  A receipt says "verified" when all bytes were written, their digest is the file's, they were
 *  flushed and are under their name; never before.
 */
#include "storage_state.h"

#include "must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITE_BYTES (UINT64_C (8) << 20)
#define LOSSES_MAX  3 /* of one transfer; then its disk counts as broken */

uint64_t transfers_bytes (const storage_t *self)
{
    uint64_t bytes = 0;
    for (const transfer_t *transfer = NULL; (transfer = ordered_next (self->transfers, transfer));)
        if (!transfer->wanted.feeds_only && transfer->receipt.state <= RECEIPT_CHECKING)
            bytes += transfer->wanted.content.size;
    return bytes;
}

/*  --- states --- */

static const char *const receipt_words [] = {"opening",  "receiving", "checking",
                                             "verified", "failed",    "feeding"};

static const state_step_t receipt_steps [] = {
  {STATES (RECEIPT_FEEDING), RECEIPT_OPENING, .when = "it begins anew"},
  {STATE (RECEIPT_OPENING), RECEIPT_RECEIVING, .when = "its part is open"},
  {STATE (RECEIPT_OPENING), RECEIPT_FEEDING, .when = "the file is open that it is to feed alone"},
  {STATES (RECEIPT_RECEIVING), RECEIPT_CHECKING, .when = "all bytes are here"},
  {STATE (RECEIPT_OPENING) | STATE (RECEIPT_CHECKING) | STATE (RECEIPT_FAILED), RECEIPT_VERIFIED,
   .when = "their digest is the file's, they are flushed, and under its name"},
  {STATES (RECEIPT_FEEDING), RECEIPT_FAILED, .when = "it can't be done: why"},
};
const state_table_t receipt_states = {
  .name = "receipt", .states = receipt_words, STATE_STEPS (receipt_steps)};

static void storage_reports_move (storage_t *self, const moment_t *now, transfer_t *transfer,
                                  receipt_state_t state)
{
    STATE_MOVE (&receipt_states, transfer->receipt.state, state);
    storage_news (self, now, true);
}

static void flow_close (storage_t *self, transfer_t *transfer)
{
    links_end (self, transfer);
    if (transfer->flow != 0)
        outbox_flow (self->service->outbox,
                     &(flow_order_t){.verb = FLOW_CLOSE, .flow = transfer->flow});
    transfer->flow = 0;
    transfer->opened = false;
}

static void storage_reports_fail (storage_t *self, const moment_t *now, transfer_t *transfer,
                                  bool wrong_bytes, const char *why)
{
    flow_close (self, transfer);
    transfer->receipt.wrong_bytes = wrong_bytes;
    transfer->receipt.feeder [0] = '\0';
    snprintf (transfer->receipt.why, sizeof transfer->receipt.why, "%s", why);
    outbox_log (self->service->outbox, LEVEL_WARNING, "transfer %s failed file=\"%s\" why=\"%s\"",
                chain_id_text (&transfer->wanted.id).text, transfer->wanted.file, why);
    storage_reports_move (self, now, transfer, RECEIPT_FAILED);
}

/*  --- the own file --- */

static bool same_content (const content_t *a, const content_t *b)
{
    return a->digest_known && b->digest_known && content_same (a, b);
}

/*  The transfer that receives the file that this one is to feed; NULL = none. */
static const transfer_t *transfer_followed (const storage_t *self, const transfer_t *transfer)
{
    const wanted_transfer_t *wanted = &transfer->wanted;
    const transfer_t *other = ordered_next (self->transfers, NULL);
    while (other && (other->wanted.feeds_only || other->receipt.state == RECEIPT_FAILED ||
                     strcmp (other->wanted.file, wanted->file) != 0 ||
                     !same_content (&other->wanted.content, &wanted->content)))
        other = ordered_next (self->transfers, other);
    return other;
}

/*  The quarantined file that is mended by this transfer; NULL = none. If its bytes have once led to
 *  a wrong digest, all are received. */
static const own_file_t *donor_of (const storage_t *self, const transfer_t *transfer)
{
    const own_file_t *file = files_find (self, transfer->wanted.file);
    bool good = file && file->stored.quarantined && transfer->wanted.attempt == 0 &&
                same_content (&file->stored.content, &transfer->wanted.content);
    return good ? file : NULL;
}

static void flow_open (storage_t *self, transfer_t *transfer, const own_file_t *whole, bool anew)
{
    char path [STORAGE_PATH_BYTES], marks [STORAGE_PATH_BYTES], donor [STORAGE_PATH_BYTES];
    const wanted_transfer_t *wanted = &transfer->wanted;
    const own_file_t *older = whole ? NULL : donor_of (self, transfer);
    const transfer_t *followed = transfer->follows ? transfer_followed (self, transfer) : NULL;
    bool proved = whole || wanted->feeds_only || transfer->receipt.state == RECEIPT_VERIFIED;
    if (whole)
        files_path (self, whole, path);
    else
        files_part (self, &wanted->id, path);
    if (transfer->flow == 0)
        transfer->flow = ++self->numbers;
    outbox_flow (
      self->service->outbox,
      &(flow_order_t){.verb = FLOW_OPEN,
                      .flow = transfer->flow,
                      .id = wanted->id.bytes,
                      .token = wanted->token,
                      .path = path,
                      .whole = whole,
                      .salvages = whole && whole->stored.quarantined,
                      .follows = followed ? followed->flow : 0,
                      .donor = older ? files_path (self, older, donor) : NULL,
                      .marks =
                        whole || older ? files_marks (self, whole ? whole : older, marks) : NULL,
                      .digest = wanted->content.digest_known ? wanted->content.digest : NULL,
                      .attempt = proved ? FLOW_PROVED : wanted->attempt,
                      .anew = anew,
                      .size = wanted->size_known ? wanted->content.size : FLOW_SIZE_UNKNOWN,
                      .epoch = wanted->epoch,
                      .mbps = wanted->mbps,
                      .feeds = wanted->feeds});
}

/*  Reports the digest of the file; the size is what the flow finds. */
static void digest_take (transfer_t *transfer, const content_t *content)
{
    uint64_t size = transfer->receipt.content.size;
    transfer->receipt.content = *content;
    transfer->receipt.content.size = size;
}

static void begin_feeding (storage_t *self, const moment_t *now, transfer_t *transfer)
{
    own_file_t *file = files_find (self, transfer->wanted.file);
    const content_t *wanted = &transfer->wanted.content;
    const content_t *have = !file ? NULL : &file->stored.content;
    const char *why = NULL;
    if (file && file->stored.quarantined)
        have = &file->stored.damage.found; /* salvage: what is right of it */
    transfer->follows = !file && transfer_followed (self, transfer);
    if (!file && !transfer->follows)
        why = "this node does not have the file";
    else if (file && file->stored.quarantined && !same_content (have, wanted))
        why = "this node's copy is quarantined";
    else if (file && wanted->digest_known && have->digest_known && !same_content (have, wanted))
        why = "this node has the file with another digest";
    if (why) {
        storage_reports_fail (self, now, transfer, file, why);
        return;
    }
    if (file)
        digest_take (transfer, have);
    flow_open (self, transfer, file, false);
    if (file && !file->stored.quarantined)
        files_used (self, now, transfer->wanted.file);
}

/*  Who takes one file goes on with its part when it is started again. */
static void part_drop (storage_t *self, const transfer_t *transfer)
{
    if (self->settings.takes_file)
        return;
    char path [STORAGE_PATH_BYTES], marks [STORAGE_PATH_BYTES + sizeof FLOW_MARKS];
    files_part (self, &transfer->wanted.id, path);
    snprintf (marks, sizeof marks, "%s" FLOW_MARKS, path);
    storage_order (self, FILE_DROP, &(storage_work_t){.from = path, .marks = marks});
}

static void begin_receiving (storage_t *self, const moment_t *now, transfer_t *transfer, bool anew)
{
    own_file_t *file = files_find (self, transfer->wanted.file);
    if (file && same_content (&file->stored.content, &transfer->wanted.content) &&
        !file->stored.quarantined) {
        digest_take (transfer, &file->stored.content);
        transfer->receipt.has = transfer->wanted.content.size;
        flow_open (self, transfer, file, false);
        storage_reports_move (self, now, transfer, RECEIPT_VERIFIED);
        return;
    }
    const own_file_t *keeping = files_keeping (self, &transfer->wanted.id);
    if (keeping) { /* all came before a restart: transfer_kept follows */
        transfer->work = 1;
        digest_take (transfer, &keeping->stored.content);
        transfer->receipt.has = transfer->wanted.content.size;
        storage_reports_move (self, now, transfer, RECEIPT_CHECKING);
        return;
    }
    uint64_t used = files_bytes (self) + transfers_bytes (self); /* with the size of this one */
    if (used > self->bytes_max) {
        char why [WHY_BYTES];
        snprintf (why, sizeof why, "no room: %" PRIu64 " bytes are wanted, %" PRIu64 " are free",
                  transfer->wanted.content.size,
                  self->bytes_max > used - transfer->wanted.content.size
                    ? self->bytes_max - (used - transfer->wanted.content.size)
                    : 0);
        storage_reports_fail (self, now, transfer, false, why);
        part_drop (self, transfer); /* what came before a restart has no room any more, either */
        return;
    }
    flow_open (self, transfer, NULL, anew);
}

static void storage_reports_begin (storage_t *self, const moment_t *now, transfer_t *transfer,
                                   bool anew)
{
    STATE_MOVE (&receipt_states, transfer->receipt.state, RECEIPT_OPENING);
    transfer->receipt = (receiver_report_t){.id = transfer->wanted.id,
                                            .state = RECEIPT_OPENING,
                                            .epoch = transfer->wanted.epoch,
                                            .attempt = transfer->wanted.attempt,
                                            .content.size = transfer->wanted.content.size};
    transfer->written = 0;
    if (transfer->wanted.feeds_only)
        begin_feeding (self, now, transfer);
    else
        begin_receiving (self, now, transfer, anew);
    storage_news (self, now, true);
}

/*  Begins to feed what is here. What others are to be fed with that is neither here nor opened
 *  waits. */
static void feeders_begin (storage_t *self, const moment_t *now)
{
    for (transfer_t *transfer = NULL; (transfer = ordered_next (self->transfers, transfer));) {
        if (!transfer->wanted.feeds_only || transfer->flow != 0 ||
            transfer->receipt.state != RECEIPT_OPENING)
            continue;
        const transfer_t *followed = transfer_followed (self, transfer);
        if (files_find (self, transfer->wanted.file) || !followed || followed->flow != 0)
            storage_reports_begin (self, now, transfer, false);
    }
}

/*  --- checking --- */

static void storage_reports_check (storage_t *self, const moment_t *now, transfer_t *transfer)
{
    if (transfer->receipt.state != RECEIPT_CHECKING || transfer->work != 0 ||
        !transfer->wanted.content.digest_known)
        return;
    if (memcmp (transfer->receipt.content.digest, transfer->wanted.content.digest,
                CHAIN_DIGEST_BYTES) != 0) {
        flow_close (self, transfer);
        if (transfer->receipt.received == 0 && transfer->receipt.content.size > 0)
            storage_reports_begin (self, now, transfer, true); /* all was here, of another file */
        else
            storage_reports_fail (self, now, transfer, true,
                                  "all bytes came, and do not match the digest");
        return;
    }
    transfer->work = 1; /* the file knows its number */
    files_keep (self, now, transfer);
}

void transfer_kept (storage_t *self, const moment_t *now, const chain_id_t *id, bool lost,
                    const char *why)
{
    transfer_t *transfer = ordered_find (self->transfers, id->bytes);
    if (!transfer || transfer->work == 0)
        return; /* it was kept before a restart, and is a file like others */
    transfer->work = 0;
    if (lost && transfer->losses++ < LOSSES_MAX) {
        flow_close (self, transfer); /* opened again, it is held against its marks */
        storage_reports_begin (self, now, transfer, false);
    } else if (lost || *why)
        storage_reports_fail (self, now, transfer, false,
                              lost ? "the disk gives back other bytes than came" : why);
    else {
        storage_reports_move (self, now, transfer, RECEIPT_VERIFIED);
        flow_open (self, transfer,
                   transfer->flow != 0 ? NULL : files_find (self, transfer->wanted.file),
                   false); /* it may feed those that begin anew */
    }
    feeders_begin (self, now);
}

void transfers_proved (storage_t *self, const moment_t *now, const own_file_t *file,
                       const char *why)
{
    for (transfer_t *transfer = NULL; (transfer = ordered_next (self->transfers, transfer));) {
        if (!transfer->wanted.feeds_only || transfer->receipt.state == RECEIPT_FAILED ||
            strcmp (transfer->wanted.file, file->stored.file) != 0)
            continue;
        if (*why) {
            storage_reports_fail (self, now, transfer, true, why);
            continue;
        }
        digest_take (transfer, &file->stored.content);
        storage_news (self, now, true);
    }
}

/*  --- news of bytes --- */

transfer_t *transfers_by_flow (const storage_t *self, uint64_t flow)
{
    transfer_t *transfer = ordered_next (self->transfers, NULL);
    while (transfer && transfer->flow != flow)
        transfer = ordered_next (self->transfers, transfer);
    return transfer;
}

static void count (transfer_t *transfer, const flow_event_t *event)
{
    transfer->receipt.has = event->has;
    transfer->receipt.received = event->received;
    transfer->receipt.fed = event->fed;
}

/*  Writes to the disk what has come so far, so that little is left to flush at the end. */
static void write_on (storage_t *self, transfer_t *transfer)
{
    char part [STORAGE_PATH_BYTES];
    if (self->writing != 0 || transfer->receipt.state != RECEIPT_RECEIVING ||
        transfer->receipt.has < transfer->written + WRITE_BYTES)
        return;
    transfer->written = transfer->receipt.has;
    self->writing = storage_order (
      self, FILE_WRITE, &(storage_work_t){.from = files_part (self, &transfer->wanted.id, part)});
}

static void opened (storage_t *self, const moment_t *now, transfer_t *transfer,
                    const flow_event_t *event)
{
    transfer->opened = true;
    transfer->receipt.content.size = event->size;
    if (transfer->receipt.state != RECEIPT_OPENING)
        return; /* it is verified, and feeds */
    storage_reports_move (self, now, transfer,
                          transfer->wanted.feeds_only ? RECEIPT_FEEDING : RECEIPT_RECEIVING);
    if (!transfer->wanted.feeds_only)
        links_plan (self, now, transfer);
}

static void storage_reports_whole (storage_t *self, const moment_t *now, transfer_t *transfer,
                                   const flow_event_t *event)
{
    links_end (self, transfer);
    transfer->receipt.content.digest_known = true;
    memcpy (transfer->receipt.content.digest, event->digest, CHAIN_DIGEST_BYTES);
    storage_reports_move (self, now, transfer, RECEIPT_CHECKING);
    storage_reports_check (self, now, transfer);
}

void transfers_on_flow (void *owner, const moment_t *now, const flow_event_t *event)
{
    storage_t *self = owner;
    transfer_t *transfer = transfers_by_flow (self, event->flow);
    if (!transfer)
        return;
    count (transfer, event);
    switch (event->news) {
    case FLOW_OPENED:
        opened (self, now, transfer, event);
        break;
    case FLOW_WHOLE:
        storage_reports_whole (self, now, transfer, event);
        break;
    case FLOW_BROKEN:
        if (transfer->follows) { /* what it followed is made anew, or has ended */
            flow_close (self, transfer);
            STATE_MOVE (&receipt_states, transfer->receipt.state, RECEIPT_OPENING);
            feeders_begin (self, now);
        } else if (transfer->receipt.state != RECEIPT_VERIFIED)
            storage_reports_fail (self, now, transfer, false, event->why);
        else
            flow_close (self, transfer); /* the file is safe; it only stops feeding */
        break;
    case FLOW_PROGRESS:
        write_on (self, transfer);
        storage_news (self, now, false);
        break;
    case FLOW_LINKED:
    case FLOW_FAILED:
    case FLOW_SILENT:
        links_on_flow (self, now, transfer, event);
        break;
    }
}

/*  --- what the site wants --- */

static void storage_reports_want (storage_t *self, const moment_t *now,
                                  const wanted_transfer_t *wanted)
{
    transfer_t *transfer = ordered_find (self->transfers, wanted->id.bytes);
    if (!transfer) {
        transfer = must (calloc (1, sizeof *transfer));
        transfer->wanted = *wanted;
        transfer->mentioned = true;
        ordered_add (self->transfers, transfer->wanted.id.bytes, transfer);
        transfer->receipt =
          (receiver_report_t){.id = wanted->id, .content.size = wanted->content.size};
        if (self->swept && !wanted->feeds_only) /* feeders_begin follows */
            storage_reports_begin (self, now, transfer, false);
        return;
    }
    transfer->mentioned = true;
    if (wanted->epoch < transfer->wanted.epoch && wanted->attempt <= transfer->wanted.attempt)
        return; /* an older plan */
    bool anew = wanted->attempt > transfer->wanted.attempt;
    bool planned = wanted->epoch > transfer->wanted.epoch;
    bool looks =
      wanted->looks > transfer->wanted.looks && transfer->receipt.state == RECEIPT_RECEIVING;
    transfer->wanted = *wanted;
    if (!self->swept)
        return;
    if (anew || looks) {
        flow_close (self, transfer);
        storage_reports_begin (self, now, transfer, anew);
        return;
    }
    if (planned && transfer->flow != 0) {
        transfer->receipt.epoch = wanted->epoch;
        transfer->receipt.silent_count = transfer->receipt.wrong_count = 0;
        flow_open (self, transfer, NULL, false); /* only to set the epoch */
        links_plan (self, now, transfer);
        storage_news (self, now, true);
    }
    storage_reports_check (self, now, transfer);
}

/*  The site does not want it any more: drops it, and what has come of the file. */
static void storage_reports_leave (storage_t *self, transfer_t *transfer)
{
    bool left_over = !transfer->wanted.feeds_only && transfer->work == 0 &&
                     transfer->receipt.state != RECEIPT_VERIFIED;
    flow_close (self, transfer);
    if (left_over)
        part_drop (self, transfer);
    ordered_remove (self->transfers, transfer->wanted.id.bytes);
    free (transfer);
}

/*  Removes parts that a crash has left and no transfer wants. Done once in each start, before any
 *  part is opened. */
static void storage_reports_sweep (storage_t *self)
{
    size_t parts_count;
    chain_id_t *parts = files_parts (self, ordered_count (self->transfers) + 1, &parts_count);
    for (const transfer_t *transfer = NULL; (transfer = ordered_next (self->transfers, transfer));)
        parts [parts_count++] = transfer->wanted.id;
    if (self->settings.takes_file)
        parts [parts_count++] = (chain_id_t){.bytes = {0}}; /* its one part has no id in its name */
    char (*paths) [STORAGE_PATH_BYTES] = must (calloc (parts_count + 1, sizeof *paths));
    const char **names = must (calloc (parts_count + 1, sizeof *names));
    for (size_t i = 0; i < parts_count; i++)
        names [i] = strrchr (files_part (self, &parts [i], paths [i]), '/') + 1;
    char folder [STORAGE_PATH_BYTES];
    snprintf (folder, sizeof folder, "%s/parts", self->settings.folder);
    self->sweep =
      storage_order (self, FILE_SWEEP,
                     &(storage_work_t){.from = folder, .names = names, .names_count = parts_count});
    free (names);
    free (paths);
    free (parts);
}

bool transfers_on_work (storage_t *self, const moment_t *now, uint64_t work)
{
    if (work == self->writing) {
        self->writing = 0;
        return true;
    }
    if (work != self->sweep)
        return false;
    self->swept = true;
    for (transfer_t *transfer = NULL; (transfer = ordered_next (self->transfers, transfer));)
        if (!transfer->wanted.feeds_only)
            storage_reports_begin (self, now, transfer, false);
    feeders_begin (self, now);
    return true;
}

void transfers_want (storage_t *self, const moment_t *now, const storage_wanted_t *wanted)
{
    for (transfer_t *transfer = NULL; (transfer = ordered_next (self->transfers, transfer));)
        transfer->mentioned = false;
    for (size_t i = 0; i < wanted->transfers_count; i++)
        storage_reports_want (self, now, &wanted->transfers [i]);
    for (transfer_t *transfer = ordered_next (self->transfers, NULL), *next; transfer;
         transfer = next) {
        next = ordered_next (self->transfers, transfer);
        if (!transfer->mentioned)
            storage_reports_leave (self, transfer);
    }
    if (self->swept)
        feeders_begin (self, now);
    if (self->sweep == 0)
        storage_reports_sweep (self);
}

receiver_report_t *transfers_report (const storage_t *self, size_t *count)
{
    size_t used = 0;
    receiver_report_t *receipts =
      must (calloc (ordered_count (self->transfers) + 1, sizeof *receipts));
    for (const transfer_t *transfer = ordered_next (self->transfers, NULL);
         transfer && used < RECEIPTS_MAX; transfer = ordered_next (self->transfers, transfer))
        receipts [used++] = transfer->receipt;
    *count = used;
    return receipts;
}
