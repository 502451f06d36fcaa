/*  doctor_files - can a member run on this machine with these settings? Checks folders, the room on
 *  their disks, and whether the neighbours that it will ask answer. What the member checks itself
 *  when it starts is left to it.
 */
#ifndef MUSUBI_DOCTOR_FILES_H
#define MUSUBI_DOCTOR_FILES_H

#include "cli.h"
#include "client.h"

/*  The problems found, in the order in which they were found. */
typedef struct {
    json_t *wrong; /* [{"who", "what"}] */
    json_t *sizes; /* forms of sizes, to be told, too; NULL = not asked for */
    size_t looked_at;
} findings_t;

void findings_clear (findings_t *self);

/*  who is a service or a file. */
void findings_add (findings_t *self, const char *who, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));

/*  Prints a line for each problem and how many there are, or JSON. Returns the exit code. */
int findings_tell (const findings_t *self, bool as_json);

/*  file has the settings of a service or an agent, as ZPL; to be run as the account that the member
 *  runs as. The neighbours that it will ask are added to asked. The description of a federation is
 *  only read. */
void doctor_file (const char *file, json_t *asked, findings_t *findings);

/*  Takes the answer of a neighbour that was asked; asked has "file", "key", "kind" and "endpoint".
 */
void doctor_hear (findings_t *findings, const json_t *asked, const client_reply_t *reply,
                  const json_t *answer);

/*  --- what each service has in memory and on its disk, how fast its store grows, and when it will
 *  be full --- */

/*  Adds the form of a status (proto StatusAnswer) to the list, which is sorted by name. */
void doctor_sizes_add (json_t *forms, const json_t *status);

/*  A row for each. */
void doctor_sizes_print (const json_t *forms);

#endif
