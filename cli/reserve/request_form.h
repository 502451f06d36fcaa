/*  request_form - a request as users write it, turned into the JSON of proto. Pure.
 *
 *  Times are RFC 3339 or "now+30m", durations "1h30m", requirements {"os": "linux"} or {"gpus":
 *  {"min": 4}}. What makes no sense is refused here, with its path; whether it can be had is for
 *  planners to say. Relative times stay relative, so that a repeated request has the same body.
 */
#ifndef MUSUBI_REQUEST_FORM_H
#define MUSUBI_REQUEST_FORM_H

#include "bytes.h"

#include <jansson.h>

/*  The command line goes before the file; NULL = not given. */
void request_form_choose (json_t *written, const char *algorithm, const char *policy);

/*  One more file that every compute need is to have when it starts. */
void request_form_input (json_t *written, const char *file);

/*  The proto Request, new; NULL with why = "compute[1].cpus: …". */
json_t *request_form_read (json_t *written, char why [LONG_WHY_BYTES]);

/*  The proto ModifyRequest for a patch {"window", "duration", "compute": [{"id", "cpus", "site"}],
 *  "network": [{"id", "mbps"}], "space": [{"id", "gb"}], "add": {"compute": [need], "network":
 *  [need], "data": [need], "space": [need]}, "remove": [id]}. */
json_t *request_form_patch (json_t *written, const char *reservation, char why [LONG_WHY_BYTES]);

#endif
