/*  file_transfer - moves a file between this machine and a site: what put and get have in common.
 *
 *  The site is asked to begin, and then how the transfer stands, until our end has finished. A site
 *  that was restarted meanwhile no longer knows the transfer's number; it is asked to begin again,
 *  and joins the transfer that goes on. A get is done as soon as our end has the verified file,
 *  whatever the site says. While a site is silent it is asked again, until for as long as --timeout
 *  it has not answered and no byte has come.
 */
#ifndef MUSUBI_FILE_TRANSFER_H
#define MUSUBI_FILE_TRANSFER_H

#include "replica_sites.h"
#include "transfer_client.h"

/*  Of which larger work a transfer is a part, for its progress; label NULL = none. */
#define PROGRESS_LABEL_BYTES 128
typedef struct {
    const char *label;
    uint64_t before; /* bytes that are done */
    uint64_t all;
} transfer_of_t;

/*  Between whom files are moved. */
typedef struct {
    const cli_t *cli;
    session_t *session;
    const json_t *site;
    const char *bind; /* of BIND_OPTION */
} transfer_ends_t;

typedef struct {
    transfer_ends_t ends;
    const char *method; /* "Put", "Get" */
    json_t *question;   /* its body without the guest; taken over. NULL: NAME was not UTF-8 */
    const char *path;   /* here, absolute; NULL = to the site only */
    bool passing;       /* get: the path is temporary, so nothing is left there to go on with */
    transfer_of_t of;
    /* private: our end while the transfer goes on */
    transfer_order_t order;
    transfer_client_t guest;
} file_transfer_t;

#define BIND_OPTION(value)                                                                         \
    TEXT_OPTION ("bind", (value), "tcp://ADDRESS:PORT",                                            \
                 "where others reach this machine; otherwise the address by which it reaches the " \
                 "site")

/*  Returns the exit code. On EXIT_DONE *last is the last answer about the transfer, new, or NULL if
 *  there was nothing to do; otherwise it has said why not. */
int carry (file_transfer_t *carrying, json_t **last);

#endif
