/*  doctor_files - can a member run on this machine as its settings say? Looked at are folders, the
 *  room on their disk, and whether those answer whom it will ask; not what it checks itself when it
 *  starts.
 */
#ifndef MUSUBI_DOCTOR_FILES_H
#define MUSUBI_DOCTOR_FILES_H

#include "cli.h"
#include "client.h"

/*  What has been found wrong, in the order in which it was found. */
typedef struct {
    json_t *wrong; /* [{"who", "what"}] */
    size_t looked_at;
} findings_t;

void findings_init (findings_t *self);
void findings_clear (findings_t *self);

/*  who = a service, or a file. */
void findings_add (findings_t *self, const char *who, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));

/*  A line each, and how many there are; or JSON. Returns the exit code. */
int findings_tell (const findings_t *self, bool as_json);

/*  file is a service's, or an agent's: ZPL. To be run as the account that the member runs as. Whom
 *  it will ask is added to asked. A federation's description is only read. */
void doctor_file (const char *file, json_t *asked, findings_t *findings);

/*  Takes what one of those that were asked says of itself: of "file", "key", "kind", "endpoint". */
void doctor_hear (findings_t *findings, const json_t *asked, const client_reply_t *reply,
                  const json_t *answer);

#endif
