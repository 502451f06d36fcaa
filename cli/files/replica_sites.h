/*  replica_sites - sites that hold files (svc-replica), and what they hold, as users name it. */
#ifndef MUSUBI_REPLICA_SITES_H
#define MUSUBI_REPLICA_SITES_H

#include "session.h"

/*  The entry of a site's svc-replica; name NULL = the only one there is. NULL after telling, with
 *  *code. */
size_t replica_sites_count (const session_t *session); /* how many there are */
const json_t *replica_sites_entry (session_t *session, const char *command, const char *name,
                                   int *code);

/*  One question to a site about its files, asked again while nobody answers and there is time. The
 *  answer is new; NULL after telling why there is none, with *code. */
json_t *replica_sites_ask (const cli_t *cli, session_t *session, const json_t *site,
                           const char *method, const json_t *question, int *code);

/*  The same without telling: CALL_TIMED_OUT when nobody answered in time; else as they said, with
 *  reason. */
call_status_t replica_sites_try (session_t *session, const json_t *site, const char *method,
                                 const json_t *question, json_t **answer,
                                 char reason [CLIENT_REASON_BYTES]);

/*  What sites have, of one name or of all (NULL): an array of {"site", "file", "entry"}, file as in
 *  proto's FileRecord, ascending by site and name. Names of sites that did not answer are added to
 *  silent. site NULL = all sites. */
json_t *replica_sites_gather (session_t *session, const json_t *site, const char *name,
                              json_t *silent);

/*  1234567 as "1.2 MB". */
#define BYTES_TEXT_BYTES 24
const char *bytes_text (double bytes, char text [BYTES_TEXT_BYTES]);

#endif
