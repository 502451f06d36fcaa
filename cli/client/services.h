/*  services - every method of every service, by the descriptors of the contract.
 *
 *  The client knows messages by these descriptors only and handles them as JSON, in the names of
 *  proto. A kind ("lis") is the first half of a service's name ("lis/ams") and offers several
 *  service blocks.
 */
#ifndef MUSUBI_SERVICES_H
#define MUSUBI_SERVICES_H

#include "core.h"

#include <jansson.h>
#include <protobuf-c/protobuf-c.h>

#define SERVICES_WHY_BYTES 512

typedef struct {
    const char *service; /* "Calendar" */
    const char *method;  /* "Free" */
    const ProtobufCMessageDescriptor *asked;
    const ProtobufCMessageDescriptor *answered;
} method_t;

/*  The method that text means: "Lis.Free" by its full name, "Free" among those of the kind. False
 *  with why, which lists what there is. */
bool services_find (const char *kind, const char *text, method_t *method,
                    char why [SERVICES_WHY_BYTES]);

/*  Our own calls: both names are known to exist. */
method_t services_method (const char *service, const char *method);

/*  The methods that the kind offers ("" = all there are), in the order of the contract; false behind
 *  the last. */
bool services_at (const char *kind, size_t at, method_t *method);

/*  A message that lies packed in another's bytes, from their hex: name is "Answer" or "Plan". NULL
 *  when there are none, or no such message. */
json_t *services_inner (const char *name, const char *hex);

/*  A body as the answer's JSON; NULL when it is not such a message. */
json_t *services_answer (const method_t *method, bytes_t body);

#endif
