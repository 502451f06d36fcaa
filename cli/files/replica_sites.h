/*  replica_sites - the sites that keep files (svc-replica), and the files that they have. */
#ifndef MUSUBI_REPLICA_SITES_H
#define MUSUBI_REPLICA_SITES_H

#include "session.h"

/*  The entry of a site's svc-replica; name NULL = the only one. NULL after saying why not, with
 *  *code. */
size_t replica_sites_count (const session_t *session); /* how many sites keep files */
const json_t *replica_sites_entry (session_t *session, const char *command, const char *name,
                                   int *code);

/*  Asks a site about its files, again and again while it does not answer and there is time. The
 *  answer is new; NULL after saying why there is none, with *code. */
json_t *replica_sites_ask (const cli_t *cli, session_t *session, const json_t *site,
                           const char *method, const json_t *question, int *code);

/*  The same without printing: CALL_TIMED_OUT when the site did not answer in time, else its status
 *  with reason. */
call_status_t replica_sites_try (session_t *session, const json_t *site, const char *method,
                                 const json_t *question, json_t **answer,
                                 char reason [CLIENT_REASON_BYTES]);

/*  What sites have under one name, or under all (NULL): an array of {"site", "file", "entry"}, by
 *  site and name, where file is proto's FileRecord. The names of sites that did not answer are
 *  added to silent. site NULL = all sites. */
json_t *replica_sites_gather (session_t *session, const json_t *site, const char *name,
                              json_t *silent);

/*  1234567 as "1.2 MB". */
#define BYTES_TEXT_BYTES 24
const char *bytes_text (double bytes, char text [BYTES_TEXT_BYTES]);

#endif
