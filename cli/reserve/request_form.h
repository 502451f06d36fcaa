/*  request_form - a request as users write it, to the JSON of proto that planners are asked with.
 *  Pure.
 *
 *  The format is that of the interfaces: times as RFC 3339 or "now+30m", durations as "1h30m",
 *  requirements as {"os": "linux"} or {"gpus": {"min": 4}}. What can't be meant is refused here, by
 *  path; what can't be had is for planners to refuse. Times from now stay times from now, so that a
 *  repeated request has the same body.
 */
#ifndef MUSUBI_REQUEST_FORM_H
#define MUSUBI_REQUEST_FORM_H

#include <jansson.h>

#define FORM_WHY_BYTES 512

/*  What was given on the command line goes before what is written; NULL: nothing. */
void request_form_choose (json_t *written, const char *algorithm, const char *policy);

/*  The proto Request, new; NULL with why = "compute[1].cpus: …". */
json_t *request_form_read (json_t *written, char why [FORM_WHY_BYTES]);

/*  The proto ModifyRequest for a patch {"window", "duration", "compute": [{"id", "cpus", "site"}],
 *  "network": [{"id", "mbps"}], "add": {"compute": [need], "network": [need]}, "remove": [id]}. */
json_t *request_form_patch (json_t *written, const char *reservation, char why [FORM_WHY_BYTES]);

#endif
