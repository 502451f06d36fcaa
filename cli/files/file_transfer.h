/*  file_transfer - a file between this machine and a site, from the first question to the last byte:
 *  what put and get have in common.
 *
 *  The site is asked to begin, and then how it stands, until our end is done. A site that was
 *  restarted meanwhile does not know the transfer's number any more: it is asked to begin again,
 *  and joins what goes on.
 */
#ifndef MUSUBI_FILE_TRANSFER_H
#define MUSUBI_FILE_TRANSFER_H

#include "replica_sites.h"
#include "transfer_client.h"

typedef struct {
    const cli_t *cli;
    session_t *session;
    const json_t *site;
    const char *method;      /* "Put", "Get" */
    json_t *question;        /* its body, but for the guest; taken over. NULL: it was not UTF-8 */
    transfer_order_t order;  /* path NULL = into the site alone */
    transfer_client_t guest; /* private: the end here while it goes on */
} file_transfer_t;

/*  Exit code; on EXIT_DONE *last is the last answer about the transfer, new, or NULL when there was
 *  nothing to do. Else it has told why not. */
int carry (file_transfer_t *carrying, json_t **last);

/*  SHA-256 of a file as 64 hex digits, and its size; false after telling why not. */
#define DIGEST_TEXT_BYTES 65
bool file_digest (const char *command, const char *path, uint64_t *size,
                  char digest [DIGEST_TEXT_BYTES]);

#endif
