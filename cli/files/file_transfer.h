/*  file_transfer - moves a file between this machine and a site: what put and get have in common.
 *
 *  The site is asked to begin, and then how the transfer stands, until our end has finished. A site
 *  that was restarted meanwhile no longer knows the transfer's number; it is asked to begin again,
 *  and joins the transfer that goes on.
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
    json_t *question;        /* its body without the guest; taken over. NULL: NAME was not UTF-8 */
    transfer_order_t order;  /* path NULL = to the site only */
    transfer_client_t guest; /* private: our end while the transfer goes on */
} file_transfer_t;

/*  Returns the exit code. On EXIT_DONE *last is the last answer about the transfer, new, or NULL if
 *  there was nothing to do; otherwise it has said why not. */
int carry (file_transfer_t *carrying, json_t **last);

/*  The SHA-256 of a file as 64 hex digits, and its size; false after saying why not. */
#define DIGEST_TEXT_BYTES 65
bool file_digest (const char *command, const char *path, uint64_t *size,
                  char digest [DIGEST_TEXT_BYTES]);

#endif
