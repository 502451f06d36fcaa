/*  musubi scrub - has the storage nodes of a site read all their copies again, and tells what is
 *  bad.
 */
#include "commands.h"
#include "replica_sites.h"

#include <unistd.h>

#define SCRUB_LOOK_MS 500

/*  Asks until all is read; NULL after saying why not, with *code. */
static json_t *scrub_follow (const cli_t *cli, session_t *session, const json_t *site, int64_t mbps,
                             int *code)
{
    json_int_t since_ms = 0;
    for (;;) {
        json_auto_t *question = json_pack ("{s:I, s:I}", "since_ms", since_ms, "mbps",
                                           (json_int_t) (mbps > 0 ? mbps : 0));
        json_t *answer = replica_sites_ask (cli, session, site, "Scrub", question, code);
        json_int_t left = number_of (answer, "left");
        if (!answer || left == 0)
            return answer;
        since_ms = number_of (answer, "since_ms");
        char read [BYTES_TEXT_BYTES], all [BYTES_TEXT_BYTES];
        double bytes = (double) number_of (answer, "bytes");
        if (isatty (STDERR_FILENO) && !cli->json)
            fprintf (stderr, "\r\033[K%s of %s read, %lld copies left",
                     bytes_text (bytes - (double) number_of (answer, "bytes_left"), read),
                     bytes_text (bytes, all), (long long) left);
        json_decref (answer);
        if (cli_interrupted ()) {
            *code = cli_fail (EXIT_REFUSED, "scrub: interrupted; the site goes on reading");
            return NULL;
        }
        cli_rest (SCRUB_LOOK_MS);
    }
}

/*  The quarantined copies of a site: {"name", "node", "bad_mib", "bad_at"}. */
static json_t *scrub_bad (const json_t *held)
{
    json_t *bad = json_array ();
    json_each (holder, held) {
        const json_t *file = json_object_get (holder, "file");
        json_each_of (copy, file, "copies")
            if (has_text (copy, "state", "COPY_QUARANTINED"))
                json_array_append_new (
                  bad, json_pack ("{s:s, s:s, s:I, s:I}", "name", text_of (file, "name"), "node",
                                  text_of (copy, "node"), "bad_mib",
                                  (json_int_t) number_of (copy, "bad"), "bad_at",
                                  (json_int_t) number_of (copy, "bad_at")));
    }
    return bad;
}

static int scrub_tell (const cli_t *cli, const char *site, const json_t *answer, const json_t *bad)
{
    long long away = number_of (answer, "away"), found = number_of (answer, "found");
    if (!cli_json (cli, json_pack ("{s:s, s:I, s:I, s:I, s:I, s:O}", "site", site, "copies",
                                   (json_int_t) number_of (answer, "copies"), "bytes",
                                   (json_int_t) number_of (answer, "bytes"), "away",
                                   (json_int_t) away, "found", (json_int_t) found, "bad", bad)))
        printf ("%s: %lld copies read, %lld found bad; %zu are not mended yet\n", site,
                (long long) number_of (answer, "copies"), found, json_array_size (bad));
    json_each (copy, bad)
        cli_fail (EXIT_REFUSED, "scrub: %s at %s/%s has %lld bad MiB, the first at %lld MiB",
                  text_of (copy, "name"), site, text_of (copy, "node"),
                  (long long) number_of (copy, "bad_mib"),
                  (long long) (number_of (copy, "bad_at") >> 20));
    if (away > 0)
        cli_fail (EXIT_UNKNOWN, "scrub: %lld copies were not read: their storage nodes are not up",
                  away);
    return found > 0 || json_array_size (bad) > 0 ? EXIT_REFUSED
           : away > 0                             ? EXIT_UNKNOWN
                                                  : EXIT_DONE;
}

int run_scrub (cli_t *cli)
{
    int64_t mbps = -1;
    cli_option_t list [] = {
      INTEGER_OPTION (
        "mbps", &mbps, "N",
        "Mbit/s at which each storage node reads; otherwise as the site is configured", 1, 1000000),
      {0}};
    int code;
    session_auto_t *session = session_begin (cli, list, 1, 1, &code);
    const json_t *site =
      session ? replica_sites_entry (session, "scrub", cli->words [0], &code) : NULL;
    json_auto_t *answer = site ? scrub_follow (cli, session, site, mbps, &code) : NULL;
    if (isatty (STDERR_FILENO) && site && !cli->json)
        fputs ("\r\033[K", stderr);
    if (!answer)
        return code;
    json_auto_t *silent = json_array ();
    json_auto_t *held = replica_sites_gather (session, site, NULL, silent);
    json_auto_t *bad = scrub_bad (held);
    return scrub_tell (cli, name_short (text_of (site, "name")), answer, bad);
}
