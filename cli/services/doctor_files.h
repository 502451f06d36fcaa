/*  doctor_files - can a member run on this machine as its settings say? Looked at are folders, the
 *  room on their disk, and whether those answer whom it will ask; not what it checks itself when it
 *  starts.
 */
#ifndef MUSUBI_DOCTOR_FILES_H
#define MUSUBI_DOCTOR_FILES_H

#include "cli.h"
#include "findings.h"

/*  file is a service's, or an agent's: ZPL. To be run as the account that the member runs as. Whom
 *  it will ask is added to asked. A federation's description is only read. */
void doctor_file (const char *file, json_t *asked, findings_t *findings);

/*  Asks all of them at once: names that resolve to nothing take one --timeout in all. An exit code.
 */
int doctor_ask (const cli_t *cli, json_t *asked, findings_t *findings);

#endif
