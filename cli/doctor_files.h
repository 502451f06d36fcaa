/*  doctor_files - can a member run on this machine as its settings say? Looked at are folders, the
 *  room on their disk, and whether those answer whom it will ask; not what it checks itself when it
 *  starts.
 */
#ifndef MUSUBI_DOCTOR_FILES_H
#define MUSUBI_DOCTOR_FILES_H

#include "cli.h"
#include "findings.h"

/*  file is a service's, or an agent's: ZPL. To be run as the account that the member runs as. */
void doctor_file (const cli_t *cli, const char *file, findings_t *findings);

#endif
