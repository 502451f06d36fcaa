/*  file_transfer - asks the site from time to time how the transfer stands, looks at what has come
 *  here, and says what it waits for while nothing moves.
 */
#include "file_transfer.h"
#include "must.h"

#include "table.h"

#include <sodium.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LOOK_MS_FIRST       10 /* first pause between two looks; it doubles */
#define LOOK_MS_MOST        200
#define TRY_MS              1000   /* a question without answer is repeated after this */
#define QUIET_MS            5000   /* after this without news it is said what is waited for */
#define SAY_MS              30000  /* how often, where there is no terminal */
#define PATIENCE_MS         120000 /* without --timeout */
#define WHOLE_MS            1000   /* for the site to hear that our end has all */
#define PROGRESS_LINE_BYTES 512
#define HOPS_SHOWN          6

/*  --- progress --- */

/*  The progress of a transfer on one line of a terminal: bytes, rate, time left, and the chain of
 *  receivers. For get, the bytes that have come here are counted; for put, those at the first
 *  receiver. */
typedef struct {
    const char *self; /* name of our guest, shown as "here" */
    transfer_of_t of;
    bool gives;      /* put: counts what is sent; get: what comes */
    int64_t seen_ms; /* time of the last look, for the rate */
    uint64_t seen_bytes;
    double rate; /* bytes a second, smoothed */
} transfer_progress_t;

static uint64_t bytes_of (const transfer_progress_t *self, const json_t *hops)
{
    json_each (hop, hops)
        if (self->gives || has_text (hop, "node", self->self))
            return (uint64_t) number_of (hop, "has");
    return 0;
}

static void rate_learn (transfer_progress_t *self, uint64_t bytes, int64_t now_ms)
{
    if (self->seen_ms != 0 && now_ms > self->seen_ms) {
        double rate = bytes > self->seen_bytes ? (double) (bytes - self->seen_bytes) * 1000 /
                                                   (double) (now_ms - self->seen_ms)
                                               : 0;
        self->rate = self->rate > 0 ? self->rate + (rate - self->rate) / 4 : rate;
    }
    self->seen_ms = now_ms;
    self->seen_bytes = bytes;
}

static void chain_text (const transfer_progress_t *self, const json_t *transfer, char *text,
                        size_t room)
{
    uint64_t size = (uint64_t) number_of (transfer, "size");
    const char *source = text_of (transfer, "source");
    const json_t *hops = json_object_get (transfer, "hops");
    const json_t *hop;
    snprintf (text, room, "%s", self->gives ? "here" : source);
    for (size_t i = 0; (hop = json_array_get (hops, i)); i++) {
        size_t used = strlen (text);
        const char *node = text_of (hop, "node");
        uint64_t has = (uint64_t) number_of (hop, "has");
        if (i == HOPS_SHOWN) {
            snprintf (text + used, room - used, " → %zu more", json_array_size (hops) - i);
            break;
        }
        bool guest = strncmp (node, "guest-", 6) == 0;
        snprintf (text + used, room - used, "%s%s %u%%", used ? " → " : "",
                  strcmp (node, self->self) == 0 ? "here"
                  : guest                        ? "a client"
                                                 : node,
                  size > 0 ? (unsigned) (has * 100 / size) : 100);
    }
}

static void left_text (const transfer_progress_t *self, uint64_t left, char text [32])
{
    int64_t seconds = self->rate > 1 ? (int64_t) ((double) left / self->rate + 0.5) : -1;
    if (seconds < 0 || seconds > 359999)
        snprintf (text, 32, "-:--");
    else if (seconds >= 3600)
        snprintf (text, 32, "%d:%02d:%02d", (int) (seconds / 3600), (int) (seconds / 60 % 60),
                  (int) (seconds % 60));
    else
        snprintf (text, 32, "%d:%02d", (int) (seconds / 60), (int) (seconds % 60));
}

/*  Cuts the line to so many columns, never inside a letter. */
static void file_transfer_cut (char *line, unsigned columns)
{
    while (text_width (line) > columns) {
        size_t length = strlen (line);
        do
            line [--length] = '\0';
        while (length > 0 && ((unsigned char) line [length - 1] & 0xc0) == 0x80);
        if (length > 0 && (unsigned char) line [length - 1] >= 0xc0)
            line [length - 1] = '\0';
    }
}

/*  The line for a TransferAnswer at this time (monotonic), at most so many columns wide. */
static void progress_line (transfer_progress_t *self, const json_t *transfer, int64_t now_ms,
                           unsigned columns, char line [PROGRESS_LINE_BYTES])
{
    char has [BYTES_TEXT_BYTES], all [BYTES_TEXT_BYTES], rate [BYTES_TEXT_BYTES], left [32];
    char chain [PROGRESS_LINE_BYTES / 2];
    bool part = self->of.label != NULL;
    const char *name = part ? self->of.label : text_of (transfer, "name");
    uint64_t size = part ? self->of.all : (uint64_t) number_of (transfer, "size");
    uint64_t bytes = self->of.before + bytes_of (self, json_object_get (transfer, "hops"));
    const char *why = text_of (transfer, "why");
    rate_learn (self, bytes, now_ms);
    if (has_text (transfer, "state", "TRANSFER_WAITING")) {
        snprintf (line, PROGRESS_LINE_BYTES, "%.120s  waiting%s%.200s", name, *why ? ": " : "",
                  why);
        file_transfer_cut (line, columns);
        return;
    }
    chain_text (self, transfer, chain, sizeof chain);
    left_text (self, size > bytes ? size - bytes : 0, left);
    snprintf (line, PROGRESS_LINE_BYTES, "%.80s  %s of %s  %s/s  %s  %s", name,
              bytes_text ((double) bytes, has), bytes_text ((double) size, all),
              bytes_text (self->rate, rate), left, chain);
    file_transfer_cut (line, columns);
}

/*  Draws the line over the one before, or instead of it what is waited for. */
static void progress_draw (transfer_progress_t *self, const json_t *transfer, const char *word,
                           int64_t now_ms)
{
    char line [PROGRESS_LINE_BYTES];
    struct winsize window = {.ws_col = 80};
    ioctl (STDERR_FILENO, TIOCGWINSZ, &window);
    unsigned columns = window.ws_col > 1 ? window.ws_col - 1u : 79;
    progress_line (self, transfer, now_ms, columns, line);
    if (*word) {
        snprintf (line, sizeof line, "%s", word);
        file_transfer_cut (line, columns);
    }
    fprintf (stderr, "\r\033[K%s", line);
    fflush (stderr);
}

static void progress_wipe (void)
{
    if (isatty (STDERR_FILENO))
        fputs ("\r\033[K", stderr);
}

/*  --- carrying --- */

/*  A transfer as it is followed. */
typedef struct {
    json_int_t transfer; /* its number at the site; 0 = not begun */
    json_t *last;        /* the last answer about it, or NULL */
    bool over;
    int code;
    char why [LONG_WHY_BYTES]; /* of another code than EXIT_DONE */
    int64_t patience_ms;
    int64_t heard_ms; /* when the site last answered, or bytes came */
    int64_t moved_ms; /* when bytes last moved anywhere on their way */
    int64_t said_ms;  /* when it was last said what is waited for */
    int64_t whole_ms; /* when our end had the verified file; 0 = not yet */
    uint64_t here;    /* bytes at our end */
    uint64_t moved;   /* bytes of all receivers */
    transfer_progress_t progress;
} follow_t;

static bool file_transfer_takes (const file_transfer_t *self)
{
    return self->path && !self->order.gives;
}

static bool file_transfer_whole (const file_transfer_t *self)
{
    return file_transfer_takes (self) && part_folder_whole (&self->guest.part);
}

__attribute__ ((format (printf, 3, 4))) static void file_transfer_fail (follow_t *follow, int code,
                                                                        const char *format, ...)
{
    format_rest (follow->why, sizeof follow->why, format);
    follow->over = true;
    follow->code = code;
}

/*  The site has begun, or has told how it stands. Takes the answer. */
static void file_transfer_hear (const file_transfer_t *self, follow_t *follow, json_t *answer)
{
    char why [LONG_WHY_BYTES];
    const char *state = text_of (answer, "state");
    if (follow->transfer == 0) {
        follow->transfer = number_of (answer, "transfer");
        follow->over = follow->transfer == 0; /* nothing is to be done */
        json_decref (answer);
        return;
    }
    json_decref (follow->last);
    follow->last = answer;
    const char *told = text_of (answer, "why");
    if (strcmp (state, "TRANSFER_DONE") == 0) {
        follow->over = true;
    } else if (strcmp (state, "TRANSFER_FAILED") == 0 && !file_transfer_whole (self)) {
        bool own = transfer_client_failed (&self->guest, why) && !strstr (told, why);
        file_transfer_fail (follow, EXIT_REFUSED, "%s%s%s", told, own ? "; at this end: " : "",
                            own ? why : "");
    }
}

/*  Asks the site once, to begin or how it stands. */
static void file_transfer_ask (const file_transfer_t *self, follow_t *follow)
{
    char reason [CLIENT_REASON_BYTES];
    json_t *answer;
    bool begun = follow->transfer != 0;
    json_auto_t *look = json_pack ("{s:I, s:s}", "transfer", follow->transfer, "guest",
                                   self->order.gives ? "" : self->guest.name);
    method_t method = services_method ("Replica", begun ? "Transfer" : self->method);
    call_status_t status =
      session_ask (self->ends.session, text_of (self->ends.site, "endpoint"), &method,
                   begun ? look : self->question, "", TRY_MS, &answer, reason);
    if (status == CALL_TIMED_OUT || status == CALL_OVERLOADED || status == CALL_NOT_SERVING)
        return;
    follow->heard_ms = cli_mono_ms ();
    if (status == CALL_OK)
        file_transfer_hear (self, follow, answer);
    else if (begun && status == CALL_NOT_FOUND)
        follow->transfer = 0;
    else if (!file_transfer_whole (self))
        file_transfer_fail (follow, session_code (status), "%s: %s",
                            name_short (text_of (self->ends.site, "name")), reason);
}

/*  Counts the bytes that have come, here and at the receivers that the site tells of. */
static void file_transfer_count (const file_transfer_t *self, follow_t *follow)
{
    uint64_t here = file_transfer_takes (self) ? part_folder_bytes (&self->guest.part) : 0;
    uint64_t moved = here;
    const json_t *hops = json_object_get (follow->last, "hops");
    json_each (hop, hops)
        moved += (uint64_t) number_of (hop, "has");
    follow->heard_ms = here != follow->here ? cli_mono_ms () : follow->heard_ms;
    follow->moved_ms = moved != follow->moved ? cli_mono_ms () : follow->moved_ms;
    follow->here = here;
    follow->moved = moved;
}

/*  What is waited for; "" while there is no need to say so. */
static void file_transfer_word (const file_transfer_t *self, const follow_t *follow,
                                char word [PROGRESS_LINE_BYTES])
{
    char text [TIMETEXT_BYTES];
    const char *command = self->ends.cli->command->name, *why = text_of (follow->last, "why");
    int64_t silent_ms = cli_mono_ms () - follow->heard_ms;
    int64_t still_ms = cli_mono_ms () - follow->moved_ms;
    *word = '\0';
    if (silent_ms >= QUIET_MS)
        snprintf (
          word, PROGRESS_LINE_BYTES, "%s: %s does not answer; is waited for until %s", command,
          name_short (text_of (self->ends.site, "name")),
          timetext_format ((cli_wall_ms () + follow->patience_ms - silent_ms) / 1000 * 1000, text));
    else if (still_ms >= QUIET_MS && *why)
        snprintf (word, PROGRESS_LINE_BYTES, "%s: waiting: %s", command, why);
    else if (still_ms >= QUIET_MS)
        snprintf (word, PROGRESS_LINE_BYTES, "%s: waiting: no byte has moved for %s", command,
                  timetext_format_duration (still_ms / 1000 * 1000, text));
}

/*  On a terminal the line of progress; otherwise now and then a line while nothing moves. */
static void file_transfer_show (const file_transfer_t *self, follow_t *follow)
{
    char word [PROGRESS_LINE_BYTES];
    int64_t now_ms = cli_mono_ms ();
    file_transfer_word (self, follow, word);
    if (isatty (STDERR_FILENO) && !self->ends.cli->json) {
        if (follow->last || *word)
            progress_draw (&follow->progress, follow->last, word, now_ms);
    } else if (*word && now_ms - follow->said_ms >= SAY_MS) {
        cli_fail (EXIT_USAGE, "%s", word);
        follow->said_ms = now_ms;
    }
}

/*  Looks at our end. The site is given a moment to hear from it that it has all. */
static void file_transfer_check (const file_transfer_t *self, follow_t *follow)
{
    char why [LONG_WHY_BYTES];
    int64_t now_ms = cli_mono_ms ();
    if (file_transfer_whole (self)) {
        follow->whole_ms = follow->whole_ms ? follow->whole_ms : now_ms;
        follow->over = now_ms - follow->whole_ms >= WHOLE_MS || cli_interrupted ();
    } else if (cli_interrupted ()) {
        file_transfer_fail (follow, EXIT_REFUSED, "interrupted");
    } else if (self->path && !transfer_client_lives (&self->guest, why)) {
        file_transfer_fail (follow, EXIT_REFUSED, "%s", why);
    } else if (now_ms - follow->heard_ms >= follow->patience_ms) {
        file_transfer_fail (follow, EXIT_UNKNOWN,
                            "%s does not answer; it is safe to run the command again",
                            name_short (text_of (self->ends.site, "name")));
    }
}

/*  The pause between two looks ends when our end has the file. */
static void file_transfer_rest (const file_transfer_t *self, const follow_t *follow, int64_t ms)
{
    for (; ms > 0 && !cli_interrupted (); ms -= LOOK_MS_FIRST) {
        cli_rest (LOOK_MS_FIRST);
        if (follow->whole_ms || file_transfer_whole (self))
            break;
    }
}

/*  Follows the transfer to its end. */
static void file_transfer_follow (const file_transfer_t *self, follow_t *follow)
{
    int64_t rest_ms = LOOK_MS_FIRST;
    for (file_transfer_ask (self, follow); !follow->over; file_transfer_ask (self, follow)) {
        file_transfer_count (self, follow);
        file_transfer_check (self, follow);
        if (follow->over)
            break;
        file_transfer_show (self, follow);
        file_transfer_rest (self, follow, rest_ms);
        rest_ms = 2 * rest_ms < LOOK_MS_MOST ? 2 * rest_ms : LOOK_MS_MOST;
    }
    if (!self->ends.cli->json)
        progress_wipe ();
}

/*  Gives the file its name, or says what stays of it; ends our end. */
static int file_transfer_finish (file_transfer_t *self, follow_t *follow)
{
    char bytes [BYTES_TEXT_BYTES], all [BYTES_TEXT_BYTES];
    const char *command = self->ends.cli->command->name;
    bool takes = file_transfer_takes (self);
    if (follow->code == EXIT_DONE && takes &&
        !part_folder_name (&self->guest.part, self->path, follow->why))
        follow->code = EXIT_REFUSED;
    if (follow->code != EXIT_DONE)
        cli_fail (follow->code, "%s: %s", command, follow->why);
    bool stays = follow->code != EXIT_DONE && takes && !self->passing;
    uint64_t has = stays ? part_folder_bytes (&self->guest.part) : 0;
    if (has > 0)
        cli_fail (
          EXIT_USAGE, "%s: %s of %s are kept in %s for %d days; the same get goes on from there",
          command, bytes_text ((double) has, bytes),
          follow->last ? bytes_text ((double) number_of (follow->last, "size"), all) : "the file",
          self->guest.part.path, PARTS_KEPT_DAYS);
    transfer_client_end (&self->guest, stays);
    return follow->code;
}

int carry (file_transfer_t *self, json_t **last)
{
    char why [LONG_WHY_BYTES];
    bool gives = strcmp (self->method, "Put") == 0;
    int64_t now_ms = cli_mono_ms (), given_ms = self->ends.session->places.timeout_ms;
    *last = NULL;
    if (!self->question)
        return cli_fail (EXIT_USAGE, "%s: NAME must be UTF-8", self->ends.cli->command->name);
    self->order = (transfer_order_t){.gives = gives,
                                     .name = text_of (self->question, "name"),
                                     .path = self->path,
                                     .size = gives ? (uint64_t) number_of (self->question, "size")
                                                   : INT64_MAX / 2,
                                     .bind = self->ends.bind};
    if (self->path && !transfer_client_start (&self->guest, text_of (self->ends.site, "endpoint"),
                                              &self->order, why)) {
        transfer_client_end (&self->guest, true);
        json_decref (self->question);
        return cli_fail (EXIT_REFUSED, "%s: %s", self->ends.cli->command->name, why);
    }
    take (self->question, "guest", json_string (self->guest.name));
    bool given = self->ends.cli->timeout_ms || given_ms > PATIENCE_MS;
    follow_t follow = {.heard_ms = now_ms,
                       .moved_ms = now_ms,
                       .said_ms = now_ms - SAY_MS,
                       .patience_ms = given ? given_ms : PATIENCE_MS,
                       .progress = {.self = self->guest.name, .of = self->of, .gives = gives}};
    file_transfer_follow (self, &follow);
    int code = file_transfer_finish (self, &follow);
    if (!follow.last && file_transfer_takes (self)) /* the site has never told how it stands */
        follow.last = json_pack ("{s:I}", "size", (json_int_t) follow.here);
    json_decref (self->question);
    *last = code == EXIT_DONE ? json_incref (follow.last) : NULL;
    json_decref (follow.last);
    return code;
}
