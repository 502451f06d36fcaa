/*  carrying - a file between this machine and a site, from the first question to the last byte:
 *  what put and get have in common.
 *
 *  The site is asked to begin, and then how it stands, until our end is done. A site that was
 *  restarted meanwhile does not know the transfer's number any more: it is asked to begin again,
 *  and joins what goes on.
 */
#ifndef MUSUBI_CARRYING_H
#define MUSUBI_CARRYING_H

#include "guest.h"
#include "holdings.h"

typedef struct {
    const cli_t *cli;
    session_t *session;
    const json_t *site;
    const char *method;     /* "Put", "Get" */
    const json_t *question; /* its body */
    guest_t *guest;         /* NULL = into the site alone */
    bool gives;
} carrying_t;

/*  Exit code; on EXIT_DONE *last is the last answer about the transfer, new, or NULL when there was
 *  nothing to do. Else it has told why not. */
int carry (const carrying_t *carrying, json_t **last);

/*  SHA-256 of a file as 64 hex digits, and its size; false after telling why not. */
#define DIGEST_TEXT_BYTES 65
bool file_digest (const char *command, const char *path, uint64_t *size,
                  char digest [DIGEST_TEXT_BYTES]);

#endif
