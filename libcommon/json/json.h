/*  json - any protobuf message to and from JSON, by its descriptor. Pure.
 *
 *  Field names as in proto; enums by name (by number where the name is not known here); integers as
 *  JSON numbers (decimal text accepted too, and written for what passes int64); reals that JSON
 *  cannot write as "NaN", "Infinity", "-Infinity"; bytes as lower-case hex. Absent fields are left
 *  out, except that numbers, enums and booleans of value 0 are written; null reads as absent. A
 *  oneof takes at most one of its fields. Nesting at most JSON_NESTING_MAX.
 */
#ifndef MUSUBI_JSON_H
#define MUSUBI_JSON_H

#include "core.h"

#include <jansson.h>
#include <protobuf-c/protobuf-c.h>

#define JSON_NESTING_MAX 16

/*  The message as a new JSON object. */
json_t *json_from_message (const ProtobufCMessage *message);

/*  A new message (message_free), or NULL with why = "plan.participants[2].name: …" naming the path
 *  of the bad field and what would be right. Unknown keys are refused by path. */
ProtobufCMessage *json_to_message (const ProtobufCMessageDescriptor *descriptor, json_t *json,
                                   char why [WHY_BYTES]);

/*  Text to JSON with the limits above (BODY_BYTES_MAX, nesting checked before the parser recurses);
 *  NULL with why naming line and column. */
json_t *json_parse (const char *text, size_t size, char why [WHY_BYTES]);

#endif
