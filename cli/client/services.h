/*  services - every method of every service, from the descriptors of proto.
 *
 *  The client knows messages only by these descriptors and handles them as JSON, with the names of
 *  proto. A kind ("lis") is the first half of a service's name ("lis/ams"); it offers several
 *  service blocks.
 */
#ifndef MUSUBI_SERVICES_H
#define MUSUBI_SERVICES_H

#include "codec.h"

#include <jansson.h>
#include <protobuf-c/protobuf-c.h>

typedef struct {
    const char *service; /* "Calendar" */
    const char *method;  /* "Free" */
    const ProtobufCMessageDescriptor *asked;
    const ProtobufCMessageDescriptor *answered;
} method_t;

/*  The method that text names: "Lis.Free" in full, "Free" among those of the kind. False with why,
 *  which lists the methods there are. */
bool services_find (const char *kind, const char *text, method_t *method,
                    char why [LONG_WHY_BYTES]);

/*  For calls whose names are known to exist. */
method_t services_method (const char *service, const char *method);

/*  The methods of a kind ("" = all) in the order of proto; false after the last. */
bool services_at (const char *kind, size_t at, method_t *method);

/*  A message packed in a field of another one, from its hexadecimal; name is "Answer" or "Plan".
 *  NULL when it is empty or no such message. */
json_t *services_inner (const char *name, const char *hex);

/*  A body as the answer's JSON; NULL when it is not such a message. */
json_t *services_answer (const method_t *method, bytes_t body);

/*  Reads a message that was taken as JSON, such as a site's description in an entry of a directory,
 *  into its struct. On true the caller clears it (codec_clear). */
bool json_read (const codec_t *codec, void *self, const json_t *written);

#endif
